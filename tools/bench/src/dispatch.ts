import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort, startPostgres } from '@leasehold/test-stack';
import { startCoordinator } from './coordinator.js';
import { Backlog } from './dispatch/backlog.js';
import { runFused } from './dispatch/fused.js';
import { measureLatency } from './dispatch/latency.js';
import { runOverGrpc } from './dispatch/over-grpc.js';
import { median, quantile } from './median.js';

// No-op jobs a second through the coordinator, over gRPC, beside the limit: the same rows written by one fused statement, in the same run on the same
// server (fsync and synchronous_commit on). The runs alternate, so that a machine that slows down slows both.
//
//   npm run bench:dispatch -- [--quick] [--jobs N] [--runs N]

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, jobs: { type: 'string' }, runs: { type: 'string' } } });
const jobs = Number(values.jobs ?? (values.quick ? 20_000 : 100_000));
const runs = Number(values.runs ?? 3);
const workers = 8;
const batch = 64;
const fused = { batch: 512, connections: 2 };

const folder = await mkdtemp(join(tmpdir(), 'leasehold-bench-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { shared_buffers: '256MB', max_wal_size: '4GB' } });
const databaseUrl = await postgres.ensureDatabase('queue');
const grpcPort = await freePort();
const coordinator = await startCoordinator(databaseUrl, grpcPort);
const backlog = new Backlog(databaseUrl);
try {
  const address = `127.0.0.1:${grpcPort}`;
  console.log(`${jobs} no-op jobs, ${runs} alternating runs, PostgreSQL with fsync on`);
  const rates: { grpc: number[]; fused: number[] } = { grpc: [], fused: [] };
  await backlog.fill(2_000);
  await runOverGrpc(address, { workers, batch });
  for (let run = 1; run <= runs; run++) {
    await backlog.fill(jobs);
    const { seconds, completed } = await runOverGrpc(address, { workers, batch });
    if (completed !== jobs || (await backlog.finished()) !== jobs) throw new Error(`${completed} jobs were completed and ${await backlog.finished()} are finished, of ${jobs}`);
    rates.grpc.push(jobs / seconds);
    await backlog.fill(jobs);
    const fusedSeconds = await runFused(backlog.pool, fused);
    if ((await backlog.finished()) !== jobs) throw new Error('the fused statement left jobs behind');
    rates.fused.push(jobs / fusedSeconds);
    console.log(`run ${run}: ${perSecond(rates.grpc.at(-1))} over gRPC, ${perSecond(rates.fused.at(-1))} by the fused statement`);
  }
  await backlog.fill(0);
  const latencies = await measureLatency(address, values.quick ? 100 : 500);
  console.log('');
  console.log(`coordinator over gRPC (unary, ${workers} workers x ${batch} leases)   ${perSecond(median(rates.grpc))}`);
  console.log(`fused statement alone (${fused.connections} connections x ${fused.batch} jobs)        ${perSecond(median(rates.fused))}`);
  console.log(`ratio                                                ${(median(rates.grpc) / median(rates.fused)).toFixed(2)}`);
  console.log(`idle enqueue to lease, p50 / p99                     ${quantile(latencies, 0.5).toFixed(1)} / ${quantile(latencies, 0.99).toFixed(1)} ms`);
} finally {
  await backlog.close();
  await coordinator.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function perSecond(rate: number | undefined): string {
  return `${Math.round(rate ?? 0).toLocaleString('en')} jobs/s`;
}
