import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { byRawCopy, byWorker, type Measured } from './import/contest.js';
import { ImportStack } from './import/import-stack.js';
import { RawCopy } from './import/raw-copy.js';
import { writeShipment } from './import/shipment-file.js';
import { median } from './median.js';

// Rows a second of an import worker process, from the grant of the job to applied, beside the limit: the same bytes through COPY into a temporary table and one
// upsert sorted by key, on the same server (fsync on), in the same run, alternating. Then the worker's peak memory with a small file and with a large one, a fresh process each.
//
//   npm run bench:import -- [--quick] [--rows N] [--skus N] [--runs N]

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, rows: { type: 'string' }, skus: { type: 'string' }, runs: { type: 'string' } } });
const rows = Number(values.rows ?? (values.quick ? 200_000 : 1_000_000));
const skus = Number(values.skus ?? rows / 10);
const runs = Number(values.runs ?? (values.quick ? 3 : 5));
const [small, large] = [10_000, 5 * rows];

const folder = await mkdtemp(join(tmpdir(), 'leasehold-bench-'));
let stack: ImportStack | undefined;
try {
  const file = async (size: number): Promise<string> => {
    const path = join(folder, `${size}.csv`);
    await writeShipment(path, { rows: size, skus });
    return path;
  };
  const path = await file(rows);
  stack = await ImportStack.start(folder);
  const raw = new RawCopy(stack.recordsUrl);
  await raw.prepare();
  await stack.startWorker();
  console.log(`${count(rows)} rows, ${count(skus)} SKUs, ${runs} alternating runs after one to warm up, PostgreSQL with fsync on`);
  const results: { worker: Measured[]; raw: Measured[] } = { worker: [], raw: [] };
  for (let run = 0; run <= runs; run++) {
    await raw.settle();
    const worker = await byWorker(stack, path, rows);
    await raw.settle();
    const limit = await byRawCopy(stack, raw, path, rows);
    if (JSON.stringify(await raw.sums('stock')) !== JSON.stringify(await raw.sums('raw_stock'))) throw new Error('the contenders came to different stock');
    if (run === 0) continue;
    results.worker.push(worker);
    results.raw.push(limit);
    console.log(`run ${run}: ${perSecond(worker.rate)} by the worker, ${perSecond(limit.rate)} by raw COPY and upsert`);
  }
  await stack.stopWorker();

  const peaks: (number | undefined)[] = [];
  for (const size of [small, large]) {
    await stack.startWorker();
    await stack.import(await file(size));
    peaks.push(stack.peakMemoryBytes());
    await stack.stopWorker();
  }
  const [smallPeak, largePeak] = peaks;
  const rate = (all: readonly Measured[]): number => median(all.map((one) => one.rate));
  console.log('');
  console.log(`CPU of a run: worker ${cpu(results.worker, 'clientCpu')} and PostgreSQL ${cpu(results.worker, 'postgresCpu')}; raw COPY's client ${cpu(results.raw, 'clientCpu')} and PostgreSQL ${cpu(results.raw, 'postgresCpu')}`);
  console.log(`import worker, from the grant to applied                    ${perSecond(rate(results.worker))}`);
  console.log(`raw COPY into a temporary table and one sorted upsert       ${perSecond(rate(results.raw))}`);
  console.log(`worker's peak memory at ${count(small)} and at ${count(large)} rows`.padEnd(60) + `${mebibytes(smallPeak)} and ${mebibytes(largePeak)}`);
  console.log(`ratio of the rates (at least 0.6, aim 0.85)                 ${(rate(results.worker) / rate(results.raw)).toFixed(2)}`);
  console.log(`ratio of the peaks (at most 1.2)                            ${smallPeak === undefined || largePeak === undefined ? '?' : (largePeak / smallPeak).toFixed(2)}`);
} finally {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function perSecond(rate: number): string {
  return `${count(Math.round(rate))} rows/s`;
}

function cpu(all: readonly Measured[], part: 'clientCpu' | 'postgresCpu'): string {
  const known = all.map((one) => one[part]).filter((value) => value !== undefined);
  return known.length === 0 ? '?' : `${median(known).toFixed(2)} s`;
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? '?' : `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
