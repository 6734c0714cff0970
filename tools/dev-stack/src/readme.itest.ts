import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from './data/scratch-folder.fixture.js';
import { startStack } from './stack.js';

const clone = fileURLToPath(new URL('../../..', import.meta.url));

/** The lines of the repository's README that a reader pastes into a shell. */
async function linesToPaste(): Promise<string> {
  const [, lines] = /<!-- try-it -->\n```sh\n([\s\S]*?)```/.exec(await readFile(join(clone, 'README.md'), 'utf8')) ?? [];
  if (lines === undefined) throw new Error('the README has no lines to try');
  return lines;
}

test('the lines of the README create, confirm and watch a photo, and fetch what its card promises', { timeout: 120_000 }, async () => {
  const data = await scratchFolder();
  const stack = await startStack({ data, workers: 1, coordinators: 1, signal: new AbortController().signal, onUp: () => undefined, onNote: () => undefined });
  onTestFinished(() => stack.stop());
  const photo = join(data, 'photo.jpg');
  await sharp({ create: { width: 640, height: 480, channels: 3, background: '#a05020' } }).jpeg().toFile(photo);
  const got = join(data, 'photo.webp');

  const script = (await linesToPaste()).replaceAll('photo.webp', got);
  const { stdout } = await execa('bash', ['-euo', 'pipefail', '-c', script], { cwd: clone, env: { PHOTO: photo, LEASEHOLD_INGEST_PORT: stack.ingest.grpc?.split(':').at(-1) } });

  expect(stdout).toContain('"state": "FILE_STATE_READY"');
  const [ofFile, ofCard] = stdout.trim().split('\n').slice(-2);
  const digest = createHash('sha256').update(await readFile(got)).digest('hex');
  expect([ofFile?.split(/\s+/)[0], ofCard]).toEqual([digest, digest]);
  expect(await sharp(got).metadata()).toMatchObject({ format: 'webp', width: 640, height: 480 });
});
