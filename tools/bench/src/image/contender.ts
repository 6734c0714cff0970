import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defaultLimits, PicturePool, programs } from '@leasehold/image-worker';
import { createLogger, createRegistry } from '@leasehold/service';
import sharp from 'sharp';
import { spec, warmPhotos } from './spec.js';

// A process that makes photos without the rest of Leasehold, as fast as the cores allow, and prints how long it took:
//   node contender.js bare N FILE...    sharp alone, in this process, N pipelines, from file to file as anybody's loop does: the limit
//   node contender.js pool N FILE...    the image worker's pool of N child processes

const [mode, encoders, ...paths] = process.argv.slice(2);
const pipelines = Number(encoders);

sharp.concurrency(1);
sharp.cache(false);
type Make = (path: string) => Promise<unknown>;

async function bare(): Promise<Make> {
  const made = join(dirname(paths[0] ?? ''), 'made');
  await mkdir(made, { recursive: true });
  return (path) =>
    sharp(path, { autoOrient: true, failOn: 'warning' }).resize({ width: spec.maxWidth, height: spec.maxHeight, fit: 'inside', withoutEnlargement: true }).webp({ quality: spec.quality, effort: spec.effort }).toFile(join(made, `${basename(path)}.webp`));
}

async function pool(): Promise<Make> {
  const children = new PicturePool({
    program: programs.pictureChild, children: pipelines, timeoutMs: 60_000, memoryBytes: 1536 * 1024 * 1024, logger: createLogger({ service: 'bench', level: 'warn' }), registry: createRegistry('bench'),
  });
  await children.start();
  const order = { renditions: [{ name: 'photo', format: 'webp', fit: 'inside', ...spec }], placeholder: false, animation: 'first-frame' } as const;
  return async (path) => children.make(await readFile(path), { order, limits: defaultLimits, signal: new AbortController().signal });
}

const make = await (mode === 'pool' ? pool() : bare());

/** A pipeline takes the next photo while there is one. */
async function work(files: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const pipeline = async (): Promise<void> => {
    for (let path = files[next++]; path !== undefined; path = files[next++]) await make(path);
  };
  await Promise.all(Array.from({ length: pipelines }, pipeline));
  return (performance.now() - startedAt) / 1000;
}

await work(paths.slice(0, warmPhotos(pipelines)));
console.log(JSON.stringify({ event: 'warm' }));
const seconds = await work(paths);
console.log(JSON.stringify({ event: 'measured', seconds }));
process.stdin.resume(); // until it is ended: its CPU time is still to be read
setInterval(() => undefined, 60_000);
