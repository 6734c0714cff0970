import { status } from '@leasehold/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World, type Running } from '../testbed/ingest.fixture.js';

describe('a namespace that may have two photos in the queue', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest({ env: { LEASEHOLD_MAX_QUEUED_PER_NAMESPACE: '2' } });
  });
  afterAll(() => world.end());

  test('gets a third one in when one of them is done, and hears until then when to come back; other namespaces do not notice', async () => {
    const [first] = [await ingest.queued(), await ingest.queued()];
    const third = await ingest.created();
    const { versionId } = await ingest.upload(third);
    await expect(ingest.confirm(third, versionId)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'NAMESPACE_FULL', retryDelayMs: 1_000 });
    expect(await world.row(third.name)).toMatchObject({ state: 'pending', generation: 0 });
    expect(await ingest.metric('leasehold_files_namespace_full_total')).toBe(1);

    const other = await ingest.created(undefined, 'namespaces/team-b');
    await ingest.confirm(other, (await ingest.upload(other)).versionId);

    // A repeat queues nothing, and is answered.
    await ingest.confirm(first.file, (await ingest.get(first.file)).source?.versionId ?? '');
    await ingest.client.deleteFile({ name: first.file.name });
    await expect.poll(() => ingest.confirm(third, versionId).then(() => 'queued', (fault: { reason: string }) => fault.reason), { timeout: 10_000 }).toBe('queued');
  });

  test('is counted once for all that come at once', async () => {
    const cards = await Promise.all(Array.from({ length: 6 }, () => ingest.created(undefined, 'namespaces/team-c')));
    const versions = await Promise.all(cards.map((card) => ingest.upload(card)));
    const outcomes = await Promise.allSettled(cards.map((card, index) => ingest.confirm(card, versions[index]?.versionId ?? '')));
    expect(outcomes.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(2);
  });
});
