import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breaches } from './directions.mjs';
import { narrower, unpinned } from './pins.mjs';
import { type Project, projects, readJson } from './projects.mjs';
import { ScratchWorkspace, root } from './scratch-workspace.js';
import { differences } from './sync.mjs';

describe('what package.json files say holds everywhere', () => {
  let workspace: ScratchWorkspace;
  beforeAll(async () => {
    workspace = await ScratchWorkspace.copy();
  });
  afterAll(() => workspace.remove());

  test('references, tags and the lint allow-lists are those that `npm run sync` derives', () => {
    expect(differences(root).map(({ path }) => path)).toEqual([]);
  });

  test('a new dependency asks for a reference and a place in the allow-list', async () => {
    await workspace.write('libs/object-store/package.json', (await workspace.read('libs/object-store/package.json')).replace('"dependencies": {', '"dependencies": {\n    "@leasehold/queue-v1": "0.1.0",'));
    expect(differences(workspace.path).map(({ path }) => path)).toEqual(['libs/object-store/tsconfig.json', '.oxlintrc.json']);
    await workspace.run('node', 'tools/workspace/src/sync.mjs');
    expect(differences(workspace.path)).toEqual([]);
    expect(JSON.parse(await workspace.read('libs/object-store/tsconfig.json'))).toMatchObject({ references: expect.arrayContaining([{ path: '../../proto/leasehold/queue/v1' }]) });
  });

  test.for([
    ['@leasehold/queue-v1', 'not a declared dependency of libs/service'],
    ['../../../libs/rpc/src/index.js', 'no relative import across projects'],
    ['@leasehold/rpc/dist/index.js', 'no deep import'],
  ])('an import of %s by a project that does not declare it is refused by the lint target', async ([specifier, reason]) => {
    await workspace.write('libs/service/src/sneaky.ts', `export * from '${specifier}';\n`);
    const output = await workspace.run('sh', '-c', 'node_modules/.bin/oxlint -c .oxlintrc.json --deny-warnings libs/service/src/sneaky.ts || true');
    expect(output).toContain(reason);
  });
});

describe('directions', () => {
  test('this workspace keeps them', () => {
    expect(breaches(projects(root))).toEqual([]);
  });

  const folders = { '@leasehold/an-edge': 'proto/leasehold/an/v1', '@leasehold/a-lib': 'libs/a', '@leasehold/a-service': 'services/a', '@leasehold/a-tool': 'tools/a' };
  const other = { '@leasehold/other-edge': 'proto/leasehold/other/v1', '@leasehold/other-lib': 'libs/other', '@leasehold/other-service': 'services/other', '@leasehold/other-tool': 'tools/other' };
  const allowed = new Set(['a-lib other-edge', 'a-lib other-lib', 'a-service other-edge', 'a-service other-lib', 'a-tool other-edge', 'a-tool other-lib', 'a-tool other-service']);
  const pairs = Object.keys(folders).flatMap((from) => Object.keys(other).map((to) => ({ from, to })));

  test.for(pairs)('$from on $to', ({ from, to }) => {
    const all: Project[] = Object.entries({ ...folders, ...other }).map(([name, folder]) => ({ name, folder, manifest: { name }, internal: name === from ? [to] : [] }));
    const short = `${from} ${to}`.replaceAll('@leasehold/', '');
    expect(breaches(all)).toEqual(allowed.has(short) ? [] : [expect.stringContaining(`${from} `)]);
  });

  test('a dependency on what is no project is refused', () => {
    expect(breaches([{ name: '@leasehold/a', folder: 'libs/a', manifest: { name: '@leasehold/a' }, internal: ['@leasehold/gone'] }])).toEqual([
      '@leasehold/a depends on @leasehold/gone, which is no project of this workspace',
    ]);
  });
});

describe('V6: pins', () => {
  test.for(['.', ...projects(root).map(({ folder }) => folder)])('every dependency of %s is pinned to one version', (folder) => {
    expect(unpinned(readJson(root, `${folder}/package.json`))).toEqual([]);
  });

  test.for(['^1.2.3', '~1.2.3', '1.x', '>=1.2.3', 'latest', '*', 'file:../a'])('%s is refused', (range) => {
    expect(unpinned({ devDependencies: { fine: '1.2.3', wrong: range } })).toEqual([`wrong ${range}`]);
  });

  test('every installed package runs on every Node that this workspace promises to run on', () => {
    expect(narrower(readJson(root, 'package.json').engines.node, readJson(root, 'package-lock.json').packages)).toEqual([]);
  });

  test('a package that needs a later Node is refused', () => {
    expect(narrower('^20.19.0 || >=24.0.0', { old: { engines: { node: '>=18' } }, late: { engines: { node: '>=22' } }, none: {} })).toEqual(['late >=22']);
  });
});
