import { fileURLToPath } from 'node:url';
import { startProcess } from '@leasehold/test-stack';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './fixtures/temporary-directory.js';

const program = fileURLToPath(new URL('../../dist/embedded/fixtures/large-object.js', import.meta.url));
const mebibyte = 1024 * 1024;

test('an object larger than the memory that the process takes goes in and out', { timeout: 60_000 }, async () => {
  const directory = await temporaryDirectory();
  const child = await startProcess({ name: 'large-object', args: [program, directory, '192'] });
  const read = await child.waitForEvent((event) => event['event'] === 'read', { timeoutMs: 50_000 });
  expect(read['size_bytes']).toBe(192 * mebibyte);
  expect(read['peak_bytes']).toBeLessThan(160 * mebibyte);
  expect(await child.exited).toEqual({ code: 0, signal: null });
});
