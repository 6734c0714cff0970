// Derives what would otherwise be written twice from each project's package.json: TypeScript's project references, Nx tags and the lint
// rule that keeps imports within declared dependencies. `npm run sync` writes it.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { breaches } from './directions.mjs';
import { projects, readJson, typeOf } from './projects.mjs';

/** @typedef {import('./projects.mjs').Project} Project */

/**
 * The files whose text is not what the package.json files say, with the text that they should have.
 * @param {string} root
 * @returns {{ path: string, text: string }[]}
 */
export const differences = (root) => expectedFiles(root).filter(({ path, text }) => readFileSync(join(root, path), 'utf8') !== text);

/** @param {string} root */
function expectedFiles(root) {
  const all = projects(root);
  const folderOf = new Map(all.map(({ name, folder }) => [name, folder]));
  const files = all.flatMap(({ folder, manifest, internal }) => {
    const nx = { ...manifest.nx, tags: [`type:${typeOf(folder)}`] };
    const references = internal.map((name) => ({ path: relative(folder, folderOf.get(name) ?? name) }));
    return [
      { path: `${folder}/package.json`, text: render({ ...manifest, nx }) },
      { path: `${folder}/tsconfig.json`, text: render({ ...readJson(root, `${folder}/tsconfig.json`), references }) },
    ];
  });
  /** @type {{ overrides: { rules: Record<string, unknown> }[] }} */
  const lint = readJson(root, '.oxlintrc.json');
  const own = lint.overrides.filter(({ rules }) => rules['no-restricted-imports'] === undefined);
  return [...files, { path: '.oxlintrc.json', text: render({ ...lint, overrides: [...own, ...all.map(boundary)] }) }];
}

/** @param {Project} project what it may import, for oxlint */
const boundary = ({ folder, internal }) => ({
  // Not the whole folder: projects of proto/ lie within each other.
  files: [`${folder}/src/**`, `${folder}/*.ts`],
  rules: {
    'no-restricted-imports': ['error', {
      patterns: [
        { group: ['@leasehold/*', ...internal.map((name) => `!${name}`)], message: `not a declared dependency of ${folder}` },
        { regex: '^(\\.\\./)+(proto|libs|services|tools)/', message: 'no relative import across projects' },
        { group: ['@leasehold/*/dist/*', '@leasehold/*/src/*'], message: 'no deep import' },
      ],
    }],
  },
});

/** @param {unknown} value */
const render = (value) => `${JSON.stringify(value, null, 2)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  for (const { path, text } of differences(root)) {
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
  const wrong = breaches(projects(root));
  for (const line of wrong) console.error(line);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
