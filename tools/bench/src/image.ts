import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { alone, whole, type Measured } from './image/contest.js';
import { generatePhotos } from './image/photos.js';
import { Producer } from './image/pipeline.js';
import { ratioOf, report } from './image/report.js';
import { Stack } from './image/stack.js';

// Photos a second through all of Leasehold (client library, PostgreSQL, coordinator, ingest, worker), beside the worker's pool of child processes alone, and
// beside the limit: a bare loop of sharp on the same photos, from file to file, with as many pipelines. In the same run, alternating, so that a machine that slows down
// slows all. Twice: with an encoder per core but one, which is what to run where one machine does everything, and with an encoder on every core, where all of it competes.
// The headline is the former from confirm to READY: all of the pipeline on photos that lie in the store, as those of the bare loop lie on a disk. What uploads cost on the same machine is printed beside it.
//
//   npm run bench:image -- [--quick] [--photos N] [--runs N]

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, photos: { type: 'string' }, runs: { type: 'string' } } });
const photos = Number(values.photos ?? (values.quick ? 12 : 24));
const runs = Number(values.runs ?? (values.quick ? 1 : 5));
const cores = availableParallelism();

const folder = await mkdtemp(join(tmpdir(), 'leasehold-bench-'));
let stack: Stack | undefined;
let producer: Producer | undefined;
try {
  const made = await generatePhotos(join(folder, 'photos'), Math.min(photos, 8));
  const paths = Array.from({ length: photos }, (_, i) => made[i % made.length] ?? '');
  const running = (stack = await Stack.start(folder));
  const handing = (producer = new Producer(stack.ingestAddress));
  console.log(`${photos} photos of 4000 x 3000 to 1600 x 1200, ${runs} alternating runs, ${cores} cores`);
  let headline: string | undefined;
  for (const encoders of new Set([Math.max(1, cores - 1), cores])) {
    const uploading = 'whole, uploads included';
    const processing = 'whole, from confirm to READY';
    const contenders: Readonly<Record<string, () => Promise<Measured>>> = {
      'bare sharp loop': () => alone('bare', encoders, paths),
      'pool of children': () => alone('pool', encoders, paths),
      [uploading]: () => whole(running, handing, encoders, paths, { uploads: true }),
      [processing]: () => whole(running, handing, encoders, paths, { uploads: false }),
    };
    const results = new Map<string, Measured[]>(Object.keys(contenders).map((name) => [name, []]));
    for (let run = 0; run < runs; run++) for (const [name, measure] of Object.entries(contenders)) results.get(name)?.push(await measure());
    const setting = `${encoders} ${encoders === 1 ? 'encoder' : 'encoders'} on ${cores} cores`;
    report(setting, results);
    headline ??= `${setting}: the whole pipeline, from confirm to READY, makes ${ratioOf(results, processing).toFixed(3)} of the images/s of a bare sharp loop with as many pipelines (accepted from 0.95); with uploads on the same machine ${ratioOf(results, uploading).toFixed(3)}`;
  }
  console.log(`\n${headline}`);
} finally {
  producer?.close();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
}
