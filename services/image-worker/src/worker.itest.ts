import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { ImagePayload, ImageResult, type ImageResult as Result } from '@leasehold/jobs-image-v1';
import * as v2 from '@leasehold/jobs-image-v2';
import { FaultClass, type Settlement } from '@leasehold/lease-v1';
import type { EmbeddedStore } from '@leasehold/object-store';
import { download, storedKeys, temporaryStore, upload } from '@leasehold/object-store/testing';
import { createLogger } from '@leasehold/service';
import { freePort, serviceAddress, startProcess, type ServiceProcess } from '@leasehold/test-stack';
import { ScriptedCoordinator } from '@leasehold/worker-runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from './config.js';
import { programs } from './index.js';
import { testFile } from './testing/manifest.js';
import { assembleImageWorker } from './worker.js';

const dist = (program: string): string => program.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
let store: EmbeddedStore;
let remove: () => Promise<void>;
let coordinator: ScriptedCoordinator;
let processes: ServiceProcess[];

beforeEach(async () => {
  ({ store, remove } = await temporaryStore());
  coordinator = new ScriptedCoordinator('image');
  await coordinator.start();
  processes = [];
});
afterEach(async () => {
  for (const running of processes) running.kill('SIGKILL');
  await Promise.all(processes.map((running) => running.exited));
  await coordinator.stop(AbortSignal.abort());
  await remove();
});

async function startWorker(o: { program?: string; env?: Record<string, string> } = {}): Promise<ServiceProcess> {
  const running = await startProcess({
    name: 'image-worker',
    args: [dist(o.program ?? programs.worker)],
    env: { LEASEHOLD_COORDINATORS: coordinator.address, LEASEHOLD_STORE_DIR: store.directory, LEASEHOLD_WORKER_CONCURRENCY: '1', LEASEHOLD_HTTP_PORT: '0', ...o.env },
  });
  processes.push(running);
  return running;
}

async function sourceOf(jobId: string, file: string): Promise<v2.SourceObject> {
  const { key, versionId, sizeBytes, sha256 } = await upload(store, `uploads/team/${jobId}`, testFile(file));
  return { key, versionId, sizeBytes: BigInt(sizeBytes), sha256 };
}

async function enqueue(jobId: string, file: string): Promise<void> {
  const payload = ImagePayload.encode(ImagePayload.create({ source: await sourceOf(jobId, file), renditionPrefix: `renditions/team/${jobId}/`, maxWidth: 320, maxHeight: 320, quality: 80, effort: 0 })).finish();
  coordinator.enqueue({ namespace: 'team', jobId, payload });
}

function resultOf(settlement: Settlement): Result {
  if (settlement.verb?.$case !== 'complete') throw new Error(`the job did not complete: ${JSON.stringify(settlement.verb)}`);
  return ImageResult.decode(settlement.verb.value.result);
}

test('the manifest that the build emits says what the worker registers', async () => {
  await startWorker();
  await vi.waitFor(() => expect(coordinator.registrations).not.toEqual([]), { timeout: 15_000 });
  const [registered] = coordinator.registrations;
  expect(JSON.parse(await readFile(new URL('../dist/leasehold-build.json', import.meta.url), 'utf8')), 'run node dist/emit-manifest.js, as the build target does').toEqual({
    build: registered?.build, reads: registered?.contracts.map(({ kind, version }) => `${kind}@${version}`),
  });
});

test('V1: a worker declares both versions of the contract, or those that it is told to', async () => {
  await startWorker();
  await vi.waitFor(() => expect(coordinator.registrations.map(({ contracts }) => contracts)).toEqual([[{ kind: 'image', version: 1 }, { kind: 'image', version: 2 }]]), { timeout: 15_000 });
  await startWorker({ env: { LEASEHOLD_CONTRACTS: '1' } });
  await vi.waitFor(() => expect(coordinator.registrations.at(-1)?.contracts).toEqual([{ kind: 'image', version: 1 }]), { timeout: 15_000 });
});

test('V5: one worker answers each version in its own words', async () => {
  await startWorker();
  await enqueue('old', 'img-gps.jpg');
  const spec = { format: v2.RenditionFormat.WEBP, maxWidth: 320, maxHeight: 320, fit: v2.RenditionFit.INSIDE, quality: 80, effort: 0 };
  const renditions = [{ ...spec, name: 'photo' }, { ...spec, name: 'card', format: v2.RenditionFormat.JPEG, maxWidth: 30 }];
  const renditionPrefix = 'renditions/team/new/';
  const payload = v2.ImagePayload.encode({ source: await sourceOf('new', 'img-gps.jpg'), renditionPrefix, renditions, placeholder: true, animation: v2.AnimationPolicy.FIRST_FRAME }).finish();
  coordinator.enqueue({ namespace: 'team', jobId: 'new', payload, contractVersion: 2 });
  const old = resultOf(await coordinator.settlement('old')).rendition;
  const settled = await coordinator.settlement('new');
  const made = settled.verb?.$case === 'complete' ? v2.ImageResult.decode(settled.verb.value.result) : undefined;
  expect(made?.renditions.map(({ key }) => key)).toEqual(['photo.webp', 'card.jpg'].map((name) => `${renditionPrefix}${settled.fence}/${name}`));
  expect(made?.placeholder).toMatchObject({ width: 32, height: 21 });
  // The same photo, made beside others, is the same picture.
  expect([made?.renditions[0]?.width, made?.renditions[0]?.height]).toEqual([old?.width, old?.height]);
});

test('a process of its own makes photos, gives a reason of the closed list for those it cannot make, and leaves cleanly on SIGTERM', async () => {
  const running = await startWorker();
  await enqueue('photo', 'img-display-p3-red.jpg');
  const settlement = await coordinator.settlement('photo');
  const { rendition, source } = resultOf(settlement);
  expect(source).toEqual({ format: 'jpeg', width: 48, height: 48, pages: 1 });
  expect(rendition).toMatchObject({ key: `renditions/team/photo/${settlement.fence}/photo.webp`, width: 48, height: 48, contentType: 'image/webp' });
  const bytes = await download(store, rendition?.key ?? '', rendition?.versionId ?? '');
  expect(createHash('sha256').update(bytes).digest().equals(rendition?.sha256 ?? Buffer.alloc(0))).toBe(true);

  await enqueue('broken', 'img-bad-crc-idat.png');
  expect((await coordinator.settlement('broken')).verb).toEqual({ $case: 'fail', value: { reason: 'CORRUPT', faultClass: FaultClass.CONTENT } });

  const ready = await fetch(`http://${await serviceAddress(running, 'http')}/readyz`);
  expect({ status: ready.status, body: await ready.json() }).toMatchObject({ status: 200, body: { checks: [{ name: 'lifecycle' }, { name: 'worker-runtime', ok: true }, { name: 'object-store', ok: true }, { name: 'picture-pool', ok: true }] } });
  expect(await running.stop()).toEqual({ code: 0, signal: null });
  expect(coordinator.workers.size).toBe(0);
});

test('a worker that is killed with the photo in memory leaves nothing behind, and another makes it', async () => {
  const first = await startWorker({ program: programs.workerWithFailpoints, env: { LEASEHOLD_FAILPOINTS: 'encoded' } });
  await enqueue('photo', 'img-gps.jpg');
  const reached = await first.waitForEvent((event) => event['event'] === 'failpoint_reached');
  expect(reached).toMatchObject({ point: 'encoded', job_id: 'photo' });
  first.kill('SIGKILL');
  await first.exited;
  expect(await storedKeys(store, 'renditions/')).toEqual([]);

  await startWorker();
  coordinator.expire('photo');
  const settlement = await coordinator.settlement('photo');
  expect(settlement.fence).toBeGreaterThan(BigInt(String(reached['fence'])));
  expect(await storedKeys(store, 'renditions/')).toEqual([resultOf(settlement).rendition?.key]);
});

test('a worker that is overtaken with its photo in the store settles nothing, and its bytes stay beside the winner\'s', async () => {
  const slow = await startWorker({ program: programs.workerWithFailpoints, env: { LEASEHOLD_FAILPOINTS: 'stored', LEASEHOLD_FAILPOINT_STOPS: '1' } });
  await enqueue('photo', 'img-gps.jpg');
  const reached = await slow.waitForEvent((event) => event['event'] === 'failpoint_reached');
  await startWorker();
  coordinator.expire('photo');
  const winner = await coordinator.settlement('photo');
  slow.kill('SIGUSR2');
  await slow.waitForEvent((event) => event['event'] === 'failpoint_passed');
  await expect.poll(() => slow.events().some((event) => event['event'] === 'lease_lost'), { timeout: 15_000 }).toBe(true);
  expect(await coordinator.settlement('photo')).toBe(winner);
  expect((await storedKeys(store, 'renditions/')).toSorted()).toEqual([reached['fence'], winner.fence].map((fence) => `renditions/team/photo/${String(fence)}/photo.webp`));
});

test('a worker does not start on a store that fails its check', async () => {
  const config = readConfig({ LEASEHOLD_COORDINATORS: coordinator.address, LEASEHOLD_STORE_DIR: store.directory, LEASEHOLD_HTTP_PORT: '0' });
  const { lifecycle } = await assembleImageWorker(config, createLogger({ service: 'image-worker', level: 'silent' }));
  await rm(store.directory, { recursive: true });
  await expect(lifecycle.start()).rejects.toHaveProperty('kind', 'unavailable');
  expect(coordinator.workers.size).toBe(0);
});

test('a worker whose coordinator does not answer is alive, and not ready', async () => {
  await coordinator.stop(AbortSignal.abort());
  const port = await freePort();
  await startWorker({ env: { LEASEHOLD_HTTP_PORT: String(port) } });
  const answer = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  await expect.poll(() => answer('/livez').catch(() => 0), { timeout: 15_000 }).toBe(200);
  expect(await answer('/readyz')).toBe(503);
});
