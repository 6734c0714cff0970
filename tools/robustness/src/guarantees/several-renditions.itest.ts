import { AnimationPolicy, FileState, RenditionFit, RenditionFormat, type CreateFileOptions, type File } from '@leasehold/client';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { strayObjects } from '../checks/store-contents.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { longPolicy } from '../fleet/kind-policy.js';
import { once } from '../photos/hand-over.js';
import { photoOf, sha256, shows } from '../photos/photo.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), policy: longPolicy });
  await Promise.all([fleet.start(), fleet.worker().start()]);
});
afterAll(() => fleet.end());

const several: CreateFileOptions = {
  renditions: [{ name: 'page' }, { name: 'card', format: RenditionFormat.JPEG, fit: RenditionFit.COVER, maxWidth: 16, maxHeight: 16 }, { name: 'modern', format: RenditionFormat.AVIF, effort: 1 }],
  placeholder: true,
  animation: AnimationPolicy.KEEP,
};

async function made(number: number, o: CreateFileOptions): Promise<File> {
  const { file } = await fleet.files.create(o);
  const { bytes } = await photoOf(number);
  const card = await fleet.files.confirm(file.name, await fleet.files.upload(file.name, () => once(bytes)));
  return fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(60_000) });
}

test('V2: several renditions are refused until image@2 is open, which the migration has announced; one WebP is made all along', async () => {
  expect((await fleet.queue.query("select kind, version, state, share_percent from contracts where version = 2 order by kind")).rows).toEqual([
    { kind: 'image', version: 2, state: 'announced', share_percent: 0 }, { kind: 'import', version: 2, state: 'announced', share_percent: 0 },
  ]);
  await expect(fleet.files.create(several)).rejects.toMatchObject({ reason: 'OPTIONS_NOT_OPEN' });
  expect(await made(1, {})).toMatchObject({ state: FileState.READY, renditions: [{ name: 'photo', contentType: 'image/webp' }] });
});

test('V5: once it is open one worker makes all of them from one job, beside jobs of version 1, and each is the bytes that its card names', async () => {
  await fleet.queue.query("update contracts set state = 'open' where kind = 'image' and version = 2");
  await expect.poll(() => fleet.files.create(several).then(() => 'taken', () => 'refused'), { timeout: 30_000, interval: 500 }).toBe('taken');
  const [rich, simple] = await Promise.all([made(2, several), made(3, {})]);
  expect(simple).toMatchObject({ state: FileState.READY });
  expect(rich).toMatchObject({
    state: FileState.READY,
    renditions: [{ name: 'page', contentType: 'image/webp', width: 48, height: 32 }, { name: 'card', contentType: 'image/jpeg', width: 16, height: 16 }, { name: 'modern', contentType: 'image/avif', width: 48, height: 32 }],
    placeholder: { width: 32, height: 21 },
  });
  for (const { name, sha256: digest, sizeBytes } of rich.renditions) {
    const bytes = await buffer((await fleet.files.download(rich.name, { rendition: name })).body);
    expect([BigInt(bytes.length), sha256(bytes)]).toEqual([sizeBytes, digest]);
    if (name === 'page') expect(await shows(await photoOf(2), bytes)).toBe(true);
  }
  expect((await fleet.records.query('select job_contract_version from files where wanted is not null and state = $1', ['ready'])).rows).toEqual([{ job_contract_version: 2 }]);
  expect((await strayObjects(fleet)).missing).toEqual([]);
});
