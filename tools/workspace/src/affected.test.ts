import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ScratchWorkspace } from './scratch-workspace.js';

vi.setConfig({ testTimeout: 60_000 }); // nx reads the whole workspace each time.

let workspace: ScratchWorkspace;
beforeAll(async () => {
  workspace = await ScratchWorkspace.copy();
});
afterAll(() => workspace.remove());

/** The projects whose tests would run again after the change of the files, by their short names. */
async function affectedTests(change: (text: string) => string, ...paths: string[]): Promise<string[]> {
  const before = await Promise.all(paths.map((path) => workspace.read(path)));
  for (const [index, path] of paths.entries()) await workspace.write(path, change(before[index] ?? ''));
  try {
    const names: string[] = JSON.parse(await workspace.run('node_modules/.bin/nx', 'show', 'projects', '--affected', '--base=HEAD', '--with-target=test', '--json'));
    return names.map((name) => name.replace('@leasehold/', '')).sort();
  } finally {
    for (const [index, path] of paths.entries()) await workspace.write(path, before[index] ?? '');
  }
}

const withField = (text: string): string => text.replace(/(\nmessage \w+ \{\n)/, '$1  // New.\n  string added_by_a_test = 999;\n');

// Whoever serves an edge, calls it, or starts what does; nobody else. `proto` holds the rules that every edge obeys.
const behindRpc = ['bench', 'cli', 'client', 'dev-stack', 'image-worker', 'import-worker', 'ingest', 'queue-coordinator', 'robustness', 'rpc', 'worker-runtime'];
const affectedByEdge = {
  'proto/leasehold/lease/v1/lease_service.proto': ['bench', 'cli', 'dev-stack', 'image-worker', 'import-worker', 'lease-v1', 'proto', 'queue-coordinator', 'robustness', 'worker-runtime'],
  'proto/leasehold/queue/v1/queue_service.proto': ['bench', 'cli', 'dev-stack', 'ingest', 'proto', 'queue-coordinator', 'queue-v1', 'robustness'],
  'proto/leasehold/ingest/v1/file_service.proto': ['bench', 'cli', 'client', 'dev-stack', 'ingest', 'ingest-v1', 'proto', 'robustness'],
  'proto/leasehold/jobs/image/v1/image.proto': ['bench', 'cli', 'dev-stack', 'image-worker', 'ingest', 'jobs-image-v1', 'proto', 'robustness'],
  'proto/leasehold/jobs/imports/v1/imports.proto': ['bench', 'cli', 'dev-stack', 'import-worker', 'ingest', 'jobs-imports-v1', 'proto', 'robustness'],
  'proto/leasehold/echo/v1/echo_service.proto': ['echo-v1', 'proto', ...behindRpc].sort(),
};

test.for(Object.entries(affectedByEdge))('a change of %s runs the tests again of those who know it', async ([path, expected]) => {
  expect(await affectedTests(withField, path)).toEqual(expected);
});

test('a change of a library runs the tests again of those behind it', async () => {
  const expected = ['bench', 'cli', 'dev-stack', 'image-worker', 'import-worker', 'ingest', 'object-store', 'robustness'];
  expect(await affectedTests((text) => `${text}\nexport const added = 1;\n`, 'libs/object-store/src/index.ts')).toEqual(expected);
});

test('a change of a test runs the tests again of its own project only, and one of a README none', async () => {
  const appended = (text: string): string => `${text}\n// More.\n`;
  expect(await affectedTests(appended, 'proto/leasehold/lease/v1/src/edge.test.ts', 'proto/leasehold/queue/v1/README.md')).toEqual(['lease-v1']);
});
