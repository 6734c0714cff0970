import { readFile } from 'node:fs/promises';
import { defaultLimits, PicturePool, programs } from '@leasehold/image-worker';
import { createLogger, createRegistry } from '@leasehold/service';
import sharp from 'sharp';
import { spec } from './spec.js';

// A process that makes photos without the rest of Leasehold, as fast as the cores allow, and prints how long it took:
//   node contender.js bare N FILE...    sharp alone, in this process, N pipelines: the limit
//   node contender.js pool N FILE...    the image worker's pool of N child processes

const [mode, encoders, ...paths] = process.argv.slice(2);
const pipelines = Number(encoders);

sharp.concurrency(1);
sharp.cache(false);
const bare = async (bytes: Buffer): Promise<number> =>
  (await sharp(bytes, { autoOrient: true, failOn: 'warning' }).resize({ width: spec.maxWidth, height: spec.maxHeight, fit: 'inside', withoutEnlargement: true }).webp({ quality: spec.quality, effort: spec.effort }).toBuffer()).length;

async function pool(): Promise<(bytes: Buffer) => Promise<number>> {
  const children = new PicturePool({
    program: programs.pictureChild, children: pipelines, timeoutMs: 60_000, memoryBytes: 1536 * 1024 * 1024, logger: createLogger({ service: 'bench', level: 'warn' }), registry: createRegistry('bench'),
  });
  await children.start();
  return async (bytes) => (await children.make(bytes, { spec, limits: defaultLimits, signal: new AbortController().signal })).photo.bytes.length;
}

const make = mode === 'pool' ? await pool() : bare;

/** A pipeline takes the next photo while there is one; each reads its file itself. */
async function work(files: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const pipeline = async (): Promise<void> => {
    for (let path = files[next++]; path !== undefined; path = files[next++]) await make(await readFile(path));
  };
  await Promise.all(Array.from({ length: pipelines }, pipeline));
  return (performance.now() - startedAt) / 1000;
}

await work(paths.slice(0, pipelines)); // warm
console.log(JSON.stringify({ event: 'warm' }));
const seconds = await work(paths);
console.log(JSON.stringify({ event: 'measured', seconds }));
process.stdin.resume(); // until it is ended: its CPU time is still to be read
setInterval(() => undefined, 60_000);
