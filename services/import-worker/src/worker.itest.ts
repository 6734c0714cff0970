import { readFile, rm } from 'node:fs/promises';
import { ImportPayload, ImportResult } from '@leasehold/jobs-imports-v1';
import { FaultClass, type Settlement } from '@leasehold/lease-v1';
import { createLogger } from '@leasehold/service';
import { freePort, serviceAddress, startProcess, type ServiceProcess } from '@leasehold/test-stack';
import { ScriptedCoordinator } from '@leasehold/worker-runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from './config.js';
import { failpoints, programs } from './index.js';
import { openShipmentBed, type ShipmentBed } from './testing/shipment-bed.js';
import { assembleImportWorker } from './worker.js';

const dist = (program: string): string => program.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
const good = 'sku,quantity\nA,5\nB,7\nA,-2\n';
let bed: ShipmentBed;
let coordinator: ScriptedCoordinator;
let processes: ServiceProcess[];

beforeEach(async () => {
  bed = await openShipmentBed();
  coordinator = new ScriptedCoordinator('import');
  await coordinator.start();
  processes = [];
});
afterEach(async () => {
  for (const running of processes) running.kill('SIGKILL');
  await Promise.all(processes.map((running) => running.exited));
  await coordinator.stop(AbortSignal.abort());
  await bed.close();
});

const environment = (): Record<string, string> => ({
  LEASEHOLD_COORDINATORS: coordinator.address, LEASEHOLD_STORE_DIR: bed.store.directory, LEASEHOLD_RECORDS_DATABASE_URL: bed.ledger.workerUrl, LEASEHOLD_HTTP_PORT: '0',
});

async function startWorker(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const program = 'LEASEHOLD_FAILPOINTS' in env ? programs.workerWithFailpoints : programs.worker;
  const running = await startProcess({ name: 'import-worker', args: [dist(program)], env: { ...environment(), ...env } });
  processes.push(running);
  return running;
}

async function enqueue(importId: string, content: string): Promise<void> {
  const { order: { source, generation } } = await bed.submit(importId, content);
  const payload = ImportPayload.encode({ importId, generation, charset: '', source: { ...source, sizeBytes: BigInt(source.sizeBytes) } }).finish();
  coordinator.enqueue({ namespace: 'team', jobId: `${importId}.${generation}`, payload });
}

const reached = (running: ServiceProcess, point: string) => running.waitForEvent((event) => event['event'] === 'failpoint_reached' && event['point'] === point);
const resultOf = ({ verb }: Settlement): ImportResult => {
  if (verb?.$case !== 'complete') throw new Error(`the job did not complete: ${JSON.stringify(verb)}`);
  return ImportResult.decode(verb.value.result);
};
test('the manifest that the build emits says what the worker registers', async () => {
  await startWorker();
  await vi.waitFor(() => expect(coordinator.registrations).not.toEqual([]), { timeout: 15_000 });
  const [registered] = coordinator.registrations;
  expect(JSON.parse(await readFile(new URL('../dist/leasehold-build.json', import.meta.url), 'utf8')), 'run node dist/emit-manifest.js, as the build target does').toEqual({
    build: registered?.build, reads: registered?.contracts.map(({ kind, version }) => `${kind}@${version}`),
  });
});

test('I8, I9: a process of its own applies shipments, refuses what is none, tells what it knows, logs nothing of a file, and leaves cleanly on SIGTERM', async () => {
  const running = await startWorker({ LEASEHOLD_LOG_LEVEL: 'trace' });
  await enqueue('monday', good.replace('A,5', 'MARKER-IN-THE-FILE,1\nA,5'));
  expect(resultOf(await coordinator.settlement('monday.1'))).toMatchObject({ rows: 4n, skus: 3n, duplicateRows: 1n, unitsIn: 13n, unitsOut: 2n });
  expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n, 'MARKER-IN-THE-FILE': 1n });

  await enqueue('tuesday', 'sku,quantity\nMARKER-IN-THE-FILE,many MARKER-IN-THE-FILE\n');
  expect((await coordinator.settlement('tuesday.1')).verb).toEqual({ $case: 'fail', value: { reason: 'QUANTITY', faultClass: FaultClass.CONTENT } });
  await enqueue('wednesday', 'sku,quantity\nMARKER-IN-THE-FILE,-9\n');
  expect((await coordinator.settlement('wednesday.1')).verb).toEqual({ $case: 'fail', value: { reason: 'NEGATIVE_STOCK', faultClass: FaultClass.CONTENT } });

  const http = `http://${await serviceAddress(running, 'http')}`;
  const ready = await fetch(`${http}/readyz`);
  expect({ status: ready.status, body: await ready.json() }).toMatchObject({
    status: 200, body: { checks: [{ name: 'lifecycle' }, { name: 'worker-runtime', ok: true }, { name: 'object-store', ok: true }, { name: 'records-database', ok: true }] },
  });
  const figures = async (): Promise<string> => (await fetch(`${http}/metrics`)).text();
  await expect.poll(figures).toMatch(/leasehold_import_runs_total\{verdict="applied",[^}]*\} 1\n[^]*leasehold_import_runs_total\{verdict="rejected",[^}]*\} 2\n/);
  expect(await figures()).toMatch(/leasehold_import_rows_read_total\{[^}]*\} 6\n[^]*leasehold_import_stalled_reads_total\{[^}]*\} 0\n[^]*leasehold_import_apply_seconds_count\{[^}]*\} 2\n/);
  expect(await figures()).toMatch(/process_resident_memory_bytes/);

  expect(await running.stop()).toEqual({ code: 0, signal: null });
  expect(coordinator.workers.size).toBe(0);
  expect(JSON.stringify(running.events()) + running.tail()).not.toContain('MARKER');
});

test('a worker that is killed, at whatever point: the next run ends in the same stock, and in the same result', async () => {
  const before = new Map<string, object | undefined>();
  for (const point of failpoints) {
    const victim = await startWorker({ LEASEHOLD_FAILPOINTS: point });
    await enqueue(point, good.replaceAll('A,', `${point},`));
    expect(await reached(victim, point)).toMatchObject({ job_id: `${point}.1` });
    victim.kill('SIGKILL');
    await victim.exited;
    const { rejectedRows: _, warehouses: __, ...result } = (await bed.ledger.ledger.find({ namespace: 'team', importId: point }))?.result ?? {};
    before.set(point, Object.keys(result).length === 0 ? undefined : result);
  }
  const committed = ['committed', 'reply-lost'];
  expect([...before].filter(([, result]) => result !== undefined).map(([point]) => point)).toEqual(committed);
  expect(await bed.ledger.quantities('team')).toEqual({ ...Object.fromEntries(committed.map((point) => [point, 3n])), B: 14n });

  await startWorker();
  for (const point of failpoints) {
    coordinator.expire(`${point}.1`);
    expect(resultOf(await coordinator.settlement(`${point}.1`))).toMatchObject(before.get(point) ?? { rows: 3n, unitsIn: 12n });
  }
  expect(await bed.ledger.quantities('team')).toEqual({ ...Object.fromEntries(failpoints.map((point) => [point, 3n])), B: 35n });
  expect(await bed.ledger.imbalance('team')).toEqual([]);
}, 60_000);

test('a settlement whose answer was lost is repeated, and counts once', async () => {
  const running = await startWorker({ LEASEHOLD_FAILPOINTS: 'reply-lost' });
  await enqueue('monday', good);
  await reached(running, 'reply-lost');
  running.kill('SIGUSR2');
  await running.waitForEvent((event) => event['event'] === 'settle_failed');
  await expect.poll(() => coordinator.refused, { timeout: 10_000 }).toBe(1);
  expect(resultOf(await coordinator.settlement('monday.1'))).toMatchObject({ rows: 3n });
});

test('a worker that is overtaken behind its commit settles nothing, and the one that overtook it answers what it applied', async () => {
  const slow = await startWorker({ LEASEHOLD_FAILPOINTS: 'committed', LEASEHOLD_FAILPOINT_STOPS: '1' });
  await enqueue('monday', good);
  await reached(slow, 'committed');
  await startWorker();
  coordinator.expire('monday.1');
  const winner = await coordinator.settlement('monday.1');
  slow.kill('SIGUSR2');
  await slow.waitForEvent((event) => event['event'] === 'failpoint_passed');
  await expect.poll(() => slow.events().some((event) => event['event'] === 'lease_lost'), { timeout: 15_000 }).toBe(true);
  expect(await coordinator.settlement('monday.1')).toBe(winner);
  expect(resultOf(winner)).toMatchObject({ rows: 3n });
  expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n });
});

test('progress of a run is told in rows and bytes', async () => {
  const running = await startWorker({ LEASEHOLD_FAILPOINTS: 'copied' });
  await enqueue('monday', good);
  await reached(running, 'copied');
  await expect.poll(() => coordinator.progressOf('monday.1'), { timeout: 15_000 }).toMatchObject({ percent: 80, stage: 'reading', items: 3n, bytes: BigInt(good.length), bytesTotal: BigInt(good.length) });
});

test('I7: on SIGTERM the import under way is finished, and a second signal changes nothing', async () => {
  const running = await startWorker({ LEASEHOLD_FAILPOINTS: 'copied' });
  await enqueue('monday', good);
  await reached(running, 'copied');
  running.kill('SIGTERM');
  await running.waitForEvent((event) => event['event'] === 'worker_draining');
  running.kill('SIGTERM');
  await running.waitForEvent((event) => event['event'] === 'stop_signal_ignored');
  running.kill('SIGUSR2');
  expect(resultOf(await coordinator.settlement('monday.1'))).toMatchObject({ rows: 3n });
  expect(await running.exited).toEqual({ code: 0, signal: null });
  expect(running.events().filter((event) => event['event'] === 'worker_draining')).toHaveLength(1);
});

test('a run that does not end in time holds the process up no longer: the job is handed back, and the next worker applies it', async () => {
  const running = await startWorker({ LEASEHOLD_FAILPOINTS: 'copied', LEASEHOLD_DRAIN_TIMEOUT: '100ms', LEASEHOLD_STOP_TIMEOUT: '6s' });
  await enqueue('monday', good);
  await reached(running, 'copied');
  expect(await running.stop()).toEqual({ code: 0, signal: null });
  expect(running.events().some((event) => event['event'] === 'drain_incomplete')).toBe(true);
  await startWorker();
  expect(resultOf(await coordinator.settlement('monday.1'))).toMatchObject({ rows: 3n });
  expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n });
});

test('a worker does not start on a store that fails its check, nor on a database without the ledger', async () => {
  const silent = createLogger({ service: 'import-worker', level: 'silent' });
  const other = await assembleImportWorker(readConfig({ ...environment(), LEASEHOLD_RECORDS_DATABASE_URL: bed.ledger.workerUrl.replace(/[^/]*$/, 'postgres') }), silent);
  await expect(other.lifecycle.start()).rejects.toThrow();
  const { lifecycle } = await assembleImportWorker(readConfig(environment()), silent);
  await rm(bed.store.directory, { recursive: true });
  await expect(lifecycle.start()).rejects.toHaveProperty('kind', 'unavailable');
  expect(coordinator.workers.size).toBe(0);
});

test('a worker whose coordinator does not answer is alive, and not ready', async () => {
  await coordinator.stop(AbortSignal.abort());
  const port = await freePort();
  await startWorker({ LEASEHOLD_HTTP_PORT: String(port) });
  const answer = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  await expect.poll(() => answer('/livez').catch(() => 0), { timeout: 15_000 }).toBe(200);
  expect(await answer('/readyz')).toBe(503);
});
