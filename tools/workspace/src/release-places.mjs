// Where the parts of a bundled program lie, and how its modules are told.
import { dirname, join, normalize, relative } from 'node:path';

/**
 * Where a module of the workspace lies in a release: as in the workspace, with one folder for what was written and what was built of it.
 * @param {string} path relative to the root
 */
export const placeIn = (path) => path.replace(/(^|\/)dist\//, '$1src/').replace(/^node_modules\//, 'packages/');

// Files that packages read beside their code.
/** @type {Record<string, string[]>} */
const readBeside = {
  'grpc-health-check': ['proto'],
  '@grpc/reflection': ['build/proto'],
};

/** @param {string[]} modules relative to the root */
export const packageAssets = (modules) => Object.entries(readBeside).flatMap(([name, paths]) =>
  (name === '@grpc/reflection' || modules.some((path) => path.startsWith(`node_modules/${name}/`)) ? paths.map((path) => `node_modules/${name}/${path}`) : []));

// They name their folder, but only for parts that Leasehold does not use.
const harmless = /^node_modules\/(@grpc\/grpc-js|thread-stream|pino|protobufjs|@protobufjs|@grpc\/proto-loader|fastify|bullmq|ioredis|msgpackr)\//;

/**
 * A bundler's plugin: in each module `import.meta.url`, `__dirname` and `import.meta.resolve` say where the module, or the file asked for, lies in the release.
 * @param {string} root @param {string} program the bundle's place in the release
 * @returns {import('rolldown').Plugin & { started: string[], tell: (code: string, id: string) => string }} `started`: programs that its modules start, relative to the root
 */
export function relocating(root, program) {
  /** @type {string[]} */
  const started = [];
  /** @param {string} code @param {string} id */
  const tell = (code, id) => {
    const path = relative(root, id);
    if (path.startsWith('node_modules/')) return byFolder(code, path, program);
    for (const [, file] of code.matchAll(/new URL\('(\.[^']+\.js)', import\.meta\.url\)/g)) started.push(normalize(join(dirname(path), file ?? '')));
    return byUrl(code, path, program);
  };
  return { name: 'relocating', started, tell, transform: { filter: { code: /import\.meta\.|__dirname|__filename/ }, handler: (code, id) => ({ code: tell(code, id) }) } };
}

/** @param {string} from a bundle's place @param {string} to another place */
const step = (from, to) => {
  const path = relative(dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
};

/** @param {string} code @param {string} path @param {string} program */
function byUrl(code, path, program) {
  const url = `new URL(${JSON.stringify(step(program, placeIn(path)))}, import.meta.url).href`;
  const images = JSON.stringify(`${step(program, 'images')}/`);
  const told = code
    .replaceAll(/createRequire\(import\.meta\.url\)\.resolve\('([^']+)'\)/g, (_, name) => pathOf(step(program, `packages/${name}/build/src/index.js`)))
    .replaceAll('import.meta.resolve(', `((name) => new URL(${images} + name.replace('@leasehold/', '').replace('/image', ''), LEASEHOLD_PROGRAM).href)(`)
    .replaceAll('import.meta.url', `(${url.replace('import.meta.url', 'LEASEHOLD_PROGRAM')})`)
    .replaceAll('LEASEHOLD_PROGRAM', 'import.meta.url');
  return told.includes('leaseholdPathOf') ? `${pathImport}${told}` : told;
}

const pathImport = "import { fileURLToPath as leaseholdPathOf } from 'node:url';\n";
/** @param {string} place */
const pathOf = (place) => `leaseholdPathOf(new URL(${JSON.stringify(place)}, LEASEHOLD_PROGRAM))`;

/** @param {string} code @param {string} path @param {string} program */
function byFolder(code, path, program) {
  if (!/\b__(dirname|filename)\b/.test(code)) return code;
  const [name = ''] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.slice(1) ?? [];
  if (readBeside[name] === undefined) {
    if (harmless.test(path)) return code;
    throw new Error(`${path} reads files beside its code: say in release-places.mjs which`);
  }
  return `${pathImport}${code.replaceAll('__dirname', pathOf(step(program, placeIn(dirname(path)))))}`.replaceAll('LEASEHOLD_PROGRAM', 'import.meta.url');
}
