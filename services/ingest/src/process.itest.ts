import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateFileRequest, FileServiceService, FileState, GetDownloadUrlRequest, ImportServiceService, ImportState, StockServiceService } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { createClient } from '@leasehold/rpc';
import { createLogger, type Assembly } from '@leasehold/service';
import { freePort, startProcess, testDatabase } from '@leasehold/test-stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from './config.js';
import { assemble } from './server.js';
import { importJobOf, jobOf, present, secret, shipment, submissionOf, World } from './testbed/ingest.fixture.js';

let world: World;
beforeAll(async () => {
  world = await World.make();
});
afterAll(() => world.end());

const environment = (databaseUrl: string, httpPort: number): Record<string, string> => ({
  LEASEHOLD_GRPC_PORT: '0',
  LEASEHOLD_HTTP_PORT: String(httpPort),
  LEASEHOLD_RECORDS_DATABASE_URL: databaseUrl,
  LEASEHOLD_COORDINATORS: world.coordinator.address,
  LEASEHOLD_STORE_DIR: world.directory,
  LEASEHOLD_SIGNING_SECRET: secret,
  LEASEHOLD_PUBLIC_URL: `http://127.0.0.1:${httpPort}`,
  LEASEHOLD_OUTCOMES_WAIT: '50ms',
  LEASEHOLD_FIGURES_EVERY: '50ms',
  LEASEHOLD_RELAY_EVERY: '1h',
});

/** The whole service in this process; what it logs is kept. */
async function started(databaseUrl: string): Promise<{ assembly: Assembly; lines: string[]; grpc: string; http: string }> {
  const lines: string[] = [];
  const logger = createLogger({ service: 'ingest', level: 'debug', destination: { write: (line) => { lines.push(line); } } });
  const assembly = await assemble(readConfig(environment(databaseUrl, await freePort())), logger);
  await assembly.lifecycle.start();
  const { 'grpc-server': grpc, http } = assembly.lifecycle.addresses();
  return { assembly, lines, grpc: present(grpc), http: `http://${present(http)}` };
}

describe('the whole service', () => {
  test('takes a photo from its upload by URL to its download by URL, each duty by itself; is ready, measured, and logs no secret', async () => {
    const { assembly, lines, grpc, http } = await started(world.database.connectionString);
    const client = createClient(FileServiceService, grpc);
    try {
      await expect.poll(async () => (await fetch(`${http}/readyz`)).status).toBe(200);
      const { file, uploadTarget } = await client.createFile(CreateFileRequest.create({ parent: 'namespaces/team-a', fileId: '', options: undefined }));
      const target = present(uploadTarget);
      const stored = await fetch(target.url, { method: target.method, headers: target.headers, body: 'a photo' });
      const { name } = present(file);
      const confirmed = await client.confirmFile({ name, versionId: present(stored.headers.get('x-leasehold-version-id') ?? undefined), sizeBytes: 7n, sha256: Buffer.alloc(0) });
      const job = jobOf(present(confirmed.file));
      // The relay looks once an hour here: it was woken.
      await expect.poll(() => world.coordinator.jobs.has(job)).toBe(true);
      const fence = world.coordinator.grant(job, { percent: 50, stage: 'encoding' });
      const watched = client.watchFile({ name });
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(name, fence, Buffer.from('a webp')) });
      let last: FileState = FileState.UNSPECIFIED;
      for await (const { file: card } of watched) last = present(card).state;
      expect(last).toBe(FileState.READY);
      const { url } = await client.getDownloadUrl(GetDownloadUrlRequest.create({ name }));
      expect(await (await fetch(url)).text()).toBe('a webp');
      await expect.poll(async () => (await fetch(`${http}/metrics`)).text()).toMatch(/leasehold_files\{state="ready",service="ingest"\} 1/);
      const metrics = await (await fetch(`${http}/metrics`)).text();
      for (const figure of ['relay_lag_seconds', 'time_to_final_seconds', 'outcomes_total', 'swept_bytes_total', 'clock_skew_seconds']) expect(metrics).toContain(`leasehold_files_${figure}`);
      const log = lines.join('');
      for (const word of ['"event":"file_confirmed"', '"event":"file_relayed"', '"event":"outcome_applied"']) expect(log).toContain(word);
      for (const hidden of ['signature=', secret, '/objects?', 'expires_at_ms']) expect(log).not.toContain(hidden);
      expect(lines.every((line) => typeof JSON.parse(line) === 'object' && line.includes('"event"'))).toBe(true);
    } finally {
      client.close();
      expect(await assembly.lifecycle.stop()).toEqual({ hung: [], failed: [], abandoned: [] });
    }
  });

  test('takes a shipment from its file to the stock that it made, each duty by itself', async () => {
    const { assembly, lines, grpc, http } = await started(world.database.connectionString);
    const [imports, stock] = [createClient(ImportServiceService, grpc), createClient(StockServiceService, grpc)];
    try {
      const accepted = present((await imports.submitImport(submissionOf({ importId: 'whole' }, [Buffer.from(shipment)]))).import);
      const job = importJobOf(accepted.name);
      await expect.poll(() => world.coordinator.jobs.has(job)).toBe(true);
      const watched = imports.watchImport({ name: accepted.name });
      await world.apply(accepted.name, world.coordinator.grant(job, { percent: 10, stage: 'reading', items: 1n }), [['A', 5]]);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      let last: ImportState = ImportState.UNSPECIFIED;
      for await (const { import: now } of watched) last = present(now).state;
      expect(last).toBe(ImportState.APPLIED);
      expect((await stock.getStock({ parent: 'namespaces/team-a', skus: ['A'], warehouse: '' })).items).toMatchObject([{ sku: 'A', quantity: 5n }]);
      expect((await fetch(`${http}/v1/${accepted.name}`)).status).toBe(200);
      await expect.poll(async () => (await fetch(`${http}/metrics`)).text()).toMatch(/leasehold_imports_outcomes_total\{fate="applied",service="ingest"\} 1/);
      for (const figure of ['accepted', 'oldest_accepted_seconds', 'relay_lag_seconds', 'healed_total', 'rejected_total']) expect(await (await fetch(`${http}/metrics`)).text()).toContain(`leasehold_imports_${figure}`);
      for (const word of ['"event":"import_accepted"', '"event":"import_relayed"', '"event":"outcome_applied"']) expect(lines.join('')).toContain(word);
    } finally {
      imports.close();
      stock.close();
      expect(await assembly.lifecycle.stop()).toEqual({ hung: [], failed: [], abandoned: [] });
    }
  });

  test('does not start on a store whose check for versioning fails', async () => {
    const { lifecycle } = await assemble(readConfig(environment(world.database.connectionString, 0)), createLogger({ service: 'ingest', level: 'silent' }));
    const versions = join(world.directory, 'versions');
    await rename(versions, `${versions}-away`);
    try {
      await expect(lifecycle.start()).rejects.toMatchObject({ kind: expect.stringMatching(/unversioned|unavailable/) });
      expect(lifecycle.addresses()).toEqual({});
    } finally {
      await rename(`${versions}-away`, versions);
      await lifecycle.stop();
    }
  });

  test('is not ready without its migrations, and says what to run', async () => {
    const bare = await testDatabase();
    const { assembly, http } = await started(bare.connectionString);
    try {
      const answer = await fetch(`${http}/readyz`);
      expect([answer.status, await answer.json()]).toMatchObject([503, { ready: false, checks: expect.arrayContaining([expect.objectContaining({ name: 'migrations', ok: false, detail: expect.stringContaining('migrate') })]) }]);
    } finally {
      await assembly.lifecycle.stop();
      await bare.drop();
    }
  });
});

describe('the processes', () => {
  const entry = (name: string): string => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));

  test('migrate brings an empty database up to date; main starts on it and stops cleanly on SIGTERM', async () => {
    const bare = await testDatabase();
    const env = environment(bare.connectionString, 0);
    const migrating = await startProcess({ name: 'migrate', args: [entry('migrate')], env });
    expect(await migrating.waitForEvent((line) => line.event === 'migrated', { timeoutMs: 15_000 })).toMatchObject({ applied: expect.arrayContaining(['001.do.files.sql', '003.do.import-jobs.sql', 'ledger/001.do.ledger.sql']) });
    expect(await migrating.exited).toMatchObject({ code: 0 });
    const main = await startProcess({ name: 'ingest', args: [entry('main')], env });
    const startedEvent = await main.waitForEvent((line) => line.event === 'service_started', { timeoutMs: 15_000 });
    expect(startedEvent).toMatchObject({ addresses: { 'grpc-server': expect.stringContaining(':'), http: expect.stringContaining(':') } });
    main.kill('SIGTERM');
    expect(await main.exited).toMatchObject({ code: 0 });
    await bare.drop();
  });
});
