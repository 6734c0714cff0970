import { existsSync } from 'node:fs';
import { FileState, ImportsClient, ImportState } from '@leasehold/client';
import { expect, onTestFinished, test } from 'vitest';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet, type FleetOptions } from '../fleet/fleet.js';
import { programs, programsOf, releases } from '../fleet/programs.js';
import { downloaded, handOver } from '../photos/hand-over.js';
import { photoOf, shows } from '../photos/photo.js';

// Each release that is kept, beside the services of the workspace on the workspace's schema. Half of the roles at a time, so that each program of the release
// is answered by one of now.

const mixtures: Readonly<Record<string, (release: string) => FleetOptions['programs']>> = {
  'coordinator and worker': (release) => ({ ...programsOf(release), ingest: programs.ingest }),
  ingest: (release) => ({ ingest: programsOf(release).ingest }),
};
const cases = releases.flatMap((release) => Object.keys(mixtures).map((roles) => ({ release, roles })));

test('every release that is kept is whole', () => {
  expect(releases.flatMap((release) => Object.values(programsOf(release))).filter((path) => !existsSync(path))).toEqual([]);
});

test.for(cases)('V7: the $roles of $release start, are healthy, and serve a photo and a shipment with the services and schemas of now', async ({ release, roles }) => {
  const fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), programs: mixtures[roles]?.(release) ?? {} });
  onTestFinished(() => fleet.end());
  const workers = [fleet.worker(), fleet.importWorker()];
  await Promise.all([fleet.start(), ...workers.map((worker) => worker.start())]);
  for (const member of fleet.members) await expect.poll(async () => (await member.http('/readyz')).status, { timeout: 15_000 }).toBe(200);
  const photo = await photoOf(7);
  const { name } = await handOver(fleet.files, photo.bytes);
  expect((await fleet.files.waitUntilFinal(name, { signal: AbortSignal.timeout(30_000) })).state).toBe(FileState.READY);
  expect(await shows(photo, await downloaded(fleet.files, { name }))).toBe(true);
  const shipments = new ImportsClient({ address: fleet.ingestAddresses });
  onTestFinished(() => shipments.close());
  const { name: batch } = await shipments.submit('batch', Buffer.from('sku,quantity\nA,3\n'));
  expect((await shipments.waitUntilEnded(batch, { signal: AbortSignal.timeout(30_000) })).state).toBe(ImportState.APPLIED);
  expect(fleet.members.flatMap((member) => member.fell)).toEqual([]);
});
