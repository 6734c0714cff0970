import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startStack, type Stack } from './stack.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const clone = fileURLToPath(new URL('../../..', import.meta.url));

let data: string;
let stack: Stack;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'leasehold-readme-'));
  await chmod(data, 0o755); // PostgreSQL may run as another user.
  stack = await startStack({ data, workers: 1, coordinators: 1, redis: 'none', signal: new AbortController().signal, onUp: () => undefined, onNote: () => undefined });
});
afterAll(async () => {
  await stack.stop();
  await rm(data, { recursive: true, force: true });
});

/** The lines of the repository's README that a reader pastes into a shell, under a mark. */
async function linesToPaste(mark: string): Promise<string> {
  const [, lines] = new RegExp(`<!-- ${mark} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(await readFile(join(clone, 'README.md'), 'utf8')) ?? [];
  if (lines === undefined) throw new Error(`the README has no lines under ${mark}`);
  return lines;
}

const portOf = (address: string | undefined): string | undefined => address?.split(':').at(-1);

async function paste(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const ports = { LEASEHOLD_INGEST_PORT: portOf(stack.ingest.grpc), LEASEHOLD_INGEST_HTTP_PORT: portOf(stack.ingest.http) };
  return (await execa('bash', ['-euo', 'pipefail', '-c', script], { cwd: clone, env: { ...env, ...ports } })).stdout;
}

test('the lines of the README create, confirm and watch a photo, and fetch what its card promises', async () => {
  const photo = join(data, 'photo.jpg');
  await sharp({ create: { width: 640, height: 480, channels: 3, background: '#a05020' } }).jpeg().toFile(photo);
  const got = join(data, 'photo.webp');

  const stdout = await paste((await linesToPaste('try-it')).replaceAll('photo.webp', got), { PHOTO: photo });

  expect(stdout).toContain('"state": "FILE_STATE_READY"');
  const [ofFile, ofCard] = stdout.trim().split('\n').slice(-2);
  const digest = createHash('sha256').update(await readFile(got)).digest('hex');
  expect([ofFile?.split(/\s+/)[0], ofCard]).toEqual([digest, digest]);
  expect(await sharp(got).metadata()).toMatchObject({ format: 'webp', width: 640, height: 480 });
});

test('the lines of the README apply a shipment once, answer its repeat with the same import, and hear another file refused', async () => {
  const stdout = await paste((await linesToPaste('try-import')).replaceAll('shipment.csv', join(data, 'shipment.csv')), { BATCH: 'of-the-readme' });

  expect(stdout).toMatch(/^HTTP\/1\.1 202 /);
  expect(stdout).toMatch(/^location: \/v1\/namespaces\/default\/imports\/of-the-readme\r?$/m);
  expect(stdout).toContain('"state": "IMPORT_STATE_APPLIED"');
  const quantities = [...stdout.matchAll(/"sku":\s*"([A-Z-]+)",\s*"quantity":\s*"(\d+)"/g)].map(([, sku, quantity]) => `${sku} ${quantity}`);
  expect(quantities).toEqual(['TEA-GREEN 42', 'TEA-BLACK 25', 'TEA-GREEN 42', 'TEA-BLACK 25']);
  expect(stdout).toContain('"reason":"IMPORT_EXISTS"');
  const last: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ name: 'namespaces/default/imports/of-the-readme', state: 'IMPORT_STATE_APPLIED', result: { rows: '3', skus: '2', duplicateRows: '1' } });
});
