import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';

// The lint target's own command runs on a scratch copy of this folder, so that what is shown here is what guards a change.
const here = fileURLToPath(new URL('..', import.meta.url));
const edge = 'leasehold/lease/v1/lease_service.proto';
let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), 'leasehold-proto-'));
  await cp(here, copy, { recursive: true, filter: (path) => !/\/(src|dist|test-results|node_modules)$/.test(path) });
});
afterEach(() => rm(copy, { recursive: true }));

async function lint(): Promise<{ exitCode?: number; all: string }> {
  const manifest: { nx: { targets: { lint: { options: { command: string } } } } } = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
  const command = manifest.nx.targets.lint.options.command.split(' && ').filter((part) => part.startsWith('buf ')).join(' && ');
  return execa({ cwd: copy, shell: true, preferLocal: true, localDir: here, all: true, reject: false })(command);
}

async function change(from: string, to: string): Promise<void> {
  const text = await readFile(join(copy, edge), 'utf8');
  expect(text).toContain(from);
  await writeFile(join(copy, edge), text.replace(from, to));
}

test('the edges as they are pass', async () => {
  expect(await lint()).toMatchObject({ exitCode: 0 });
});

test('a field that goes is refused', async () => {
  await change("  // The job's payload, by its contract.\n  bytes payload = 6;\n", '');
  const { exitCode, all } = await lint();
  expect(exitCode).not.toBe(0);
  expect(all).toContain('Previously present field "6" with name "payload" on message "Lease" was deleted');
});

test('an RPC that goes is refused', async () => {
  await change('  rpc DeregisterWorker(DeregisterWorkerRequest) returns (DeregisterWorkerResponse);\n', '');
  expect((await lint()).all).toContain('Previously present RPC "DeregisterWorker" on service "LeaseService" was deleted');
});

test('a field that changes its type is refused', async () => {
  await change('int64 fence = 7;', 'int32 fence = 7;');
  expect((await lint()).all).toContain('Field "7" with name "fence" on message "Lease" changed type from "int64" to "int32"');
});

test('a field that is added passes', async () => {
  await change('  bytes payload = 6;\n', '  bytes payload = 6;\n  // Who is to blame.\n  string author = 99;\n');
  expect(await lint()).toMatchObject({ exitCode: 0 });
});

test('a field without a comment is refused', async () => {
  await change('  bytes payload = 6;\n', '  bytes payload = 6;\n  string author = 99;\n');
  expect((await lint()).all).toContain('Field "author" should have a non-empty comment for documentation');
});

test('a file that is not formatted is refused', async () => {
  await change('  bytes payload = 6;', '    bytes payload = 6;');
  const { exitCode, all } = await lint();
  expect(exitCode).not.toBe(0);
  expect(all).toContain('+  bytes payload = 6;');
});
