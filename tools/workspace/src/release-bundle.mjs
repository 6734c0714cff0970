// Writes the services as they are built into a folder that later builds cannot change: what the next release is tested against.
//   npm run release:bundle -- v0.1.0 [folder]      replaces tools/robustness/releases/v0.1.0, or the folder
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { readJson } from './projects.mjs';
import { packageAssets, placeIn, relocating } from './release-places.mjs';
import { releaseReadme } from './release-readme.mjs';

/** What is started, each as a file of its own; what these start by themselves is found on the way. */
const programs = {
  'services/queue-coordinator': ['main', 'migrate'],
  'services/ingest': ['main', 'migrate'],
  'services/image-worker': ['main', 'testing/main'],
  'services/import-worker': ['main', 'testing/main'],
};
// Native, or wanted by nobody here: they are found in the workspace's node_modules, or not at all.
const external = ['sharp', 'pg-native', 'msgpackr-extract', 'pino-pretty'];

/**
 * @param {string} root the workspace, built
 * @param {string} folder is replaced
 * @returns {Promise<{ programs: string[], bytes: number }>}
 */
export async function bundleRelease(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const named = Object.entries(programs).flatMap(([service, names]) => names.map((name) => `${service}/dist/${name}.js`));
  const modules = await bundle(root, folder, named.filter((path) => existsSync(join(root, path))));
  copyAssets(root, folder, modules.all);
  const started = modules.programs.map(placeIn);
  for (const place of started) write(join(folder, place), `import '${relative(dirname(place), codeOf(place))}';\n`);
  write(join(folder, 'README.md'), releaseReadme(started, readJson(root, 'package.json').version));
  return { programs: started, bytes: sizeOf(folder) };
}

// All code lies in one folder, so that a module may be in any file of it and still say where it would lie.
/** @param {string} place */
const codeOf = (place) => `code/${place.replaceAll('/', '-')}`;

/**
 * One bundle of all programs, with what they share in files of their own.
 * @param {string} root @param {string} folder @param {string[]} entries grows by what these start
 * @returns {Promise<{ programs: string[], all: string[] }>} relative to the root
 */
async function bundle(root, folder, entries) {
  const relocation = relocating(root, 'code/any.js');
  const input = Object.fromEntries(entries.map((path) => [codeOf(placeIn(path)).replace(/^code\/(.*)\.js$/, '$1'), join(root, path)]));
  const build = await rolldown({ input, platform: 'node', external, plugins: [relocation], logLevel: 'silent' });
  const { output } = await build.generate({ format: 'esm', minify: true, comments: false, entryFileNames: '[name].js', chunkFileNames: 'shared-[hash].js' });
  await build.close();
  const more = relocation.started.filter((path) => !entries.includes(path));
  // A program may start others.
  if (more.length > 0) return bundle(root, folder, [...entries, ...new Set(more)]);
  const chunks = output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
  for (const { fileName, code } of chunks) write(join(folder, 'code', fileName), code);
  return { programs: entries, all: chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => id.startsWith(root)).map((id) => relative(root, id)) };
}

/** @param {string} path @param {string} text */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const assets = /(\.(sql|binpb|lua)|^package\.json)$/;

/** @param {string} root @param {string} folder @param {string[]} modules */
function copyAssets(root, folder, modules) {
  const projects = new Set(modules.filter((path) => !path.startsWith('node_modules')).map((path) => path.replace(/\/(dist|src)\/.*$/, '')));
  for (const project of projects) {
    for (const path of filesUnder(join(root, project)).filter((each) => assets.test(each))) copy(join(root, project, path), join(folder, path === 'src/gen/image.binpb' ? `images/${imageName(root, project)}.binpb` : `${project}/${path}`));
  }
  for (const path of packageAssets(modules)) copy(join(root, path), join(folder, path.replace('node_modules', 'packages')));
}

/** As it is asked for: of `@leasehold/queue-v1/image.binpb`, `queue-v1`. @param {string} root @param {string} project */
const imageName = (root, project) => readJson(root, `${project}/package.json`).name.replace('@leasehold/', '');

/** @param {string} from @param {string} to */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}

/** @param {string} folder */
const filesUnder = (folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => !/(^|\/)(node_modules|dist|testdata|test-results)\//.test(path));

/** @param {string} folder */
const sizeOf = (folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, path) => sum + (statSync(join(folder, path)).isFile() ? statSync(join(folder, path)).size : 0), 0);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  const [name, place] = process.argv.slice(2);
  if (name === undefined || !/^v\d+\.\d+\.\d+$/.test(name)) {
    console.error('Usage: npm run release:bundle -- vN.N.N [folder]');
    process.exitCode = 64;
  } else {
    const folder = place === undefined ? join(root, 'tools/robustness/releases', name) : resolve(place);
    const { programs: made, bytes } = await bundleRelease(root, folder);
    console.log(`${made.join('\n')}\n${folder}: ${made.length} programs, ${(bytes / 1e6).toFixed(1)} MB`);
  }
}
