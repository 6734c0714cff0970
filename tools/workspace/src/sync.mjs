// Derives what would otherwise be written twice from each project's package.json: TypeScript's project references, Nx tags and the lint
// rule that keeps imports within declared dependencies. `npm run sync` writes; `--check` only reports and exits 1 on a difference.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const render = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Every workspace project: its folder, package.json and declared dependencies within the workspace. */
export function projects() {
  const folders = readJson('package.json').workspaces.flatMap((pattern) =>
    pattern.endsWith('/*')
      ? readdirSync(join(root, pattern.slice(0, -2)), { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => `${pattern.slice(0, -2)}/${e.name}`)
      : [pattern]).sort();
  return folders.map((folder) => {
    const manifest = readJson(join(folder, 'package.json'));
    const internal = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter((n) => n.startsWith('@leasehold/')).sort();
    return { folder, manifest, name: manifest.name, internal };
  });
}

/** The type and scope tags of a project, from where it lies. */
export function tagsOf(folder) {
  const [top] = folder.split('/');
  const type = { proto: 'edge', libs: 'lib', services: 'service', tools: 'tool' }[top];
  if (type === undefined) throw new Error(`${folder}: projects lie in proto, libs, services or tools`);
  return [`type:${type}`];
}

// Which types a type may depend on: edges import nothing but Google's, libs import libs and edges, no service imports a service,
// nothing imports a tool. Tools may start services.
const mayDependOn = { edge: [], lib: ['edge', 'lib'], service: ['edge', 'lib'], tool: ['edge', 'lib', 'service'] };

/** Breaches of the directions, one line each. */
export function breaches(all = projects()) {
  const typeOf = new Map(all.map((p) => [p.name, tagsOf(p.folder)[0].slice('type:'.length)]));
  return all.flatMap((p) => p.internal.flatMap((dependency) => {
    const target = typeOf.get(dependency);
    if (target === undefined) return [`${p.name} depends on ${dependency}, which is no project of this workspace`];
    return mayDependOn[typeOf.get(p.name)].includes(target) ? [] : [`${p.name} (${typeOf.get(p.name)}) must not depend on ${dependency} (${target})`];
  }));
}

/** The files as they should be: path and text. */
export function expectedFiles() {
  const all = projects();
  const folderOf = new Map(all.map((p) => [p.name, p.folder]));
  const files = [];
  for (const { folder, manifest, internal } of all) {
    files.push({ path: `${folder}/package.json`, text: render({ ...manifest, nx: { tags: tagsOf(folder), ...without(manifest.nx, 'tags') } }) });
    if (folder === 'proto') continue;
    const tsconfig = readJson(`${folder}/tsconfig.json`);
    files.push({ path: `${folder}/tsconfig.json`, text: render({ ...tsconfig, references: internal.map((n) => ({ path: relative(folder, folderOf.get(n)) })) }) });
  }
  const lint = readJson('.oxlintrc.json');
  files.push({ path: '.oxlintrc.json', text: render({ ...lint, overrides: [...lint.overrides.filter((o) => o.rules['no-restricted-imports'] === undefined), ...boundaries(all)] }) });
  return files;
}

const boundaries = (all) => all.filter((p) => !p.folder.startsWith('proto')).map(({ folder, internal }) => ({
  files: [`${folder}/**`],
  rules: {
    'no-restricted-imports': ['error', { patterns: [
      { group: ['@leasehold/*', ...internal.map((n) => `!${n}`)], message: `not a declared dependency of ${folder}` },
      { regex: '^(\\.\\./)+(proto|libs|services|tools)/', message: 'no relative import across projects' },
      { group: ['@leasehold/*/dist/*', '@leasehold/*/src/*'], message: 'no deep import' },
    ] }],
  },
}));

const without = (object, key) => Object.fromEntries(Object.entries(object ?? {}).filter(([k]) => k !== key));

/** The paths whose text is not what package.json files say. */
export const differences = () => expectedFiles().filter(({ path, text }) => readFileSync(join(root, path), 'utf8') !== text);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes('--check');
  const changed = differences();
  if (!check) for (const { path, text } of changed) writeFileSync(join(root, path), text);
  for (const { path } of changed) console.log(check ? `${path} differs: run npm run sync` : `wrote ${path}`);
  const wrong = breaches();
  for (const line of wrong) console.error(line);
  process.exitCode = wrong.length > 0 || (check && changed.length > 0) ? 1 : 0;
}
