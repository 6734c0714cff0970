import { expect, test, vi } from 'vitest';
import { runCampaign } from '../campaign/run-campaign.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

test('one short round of the campaign: every photo ends as it must, whatever was killed, frozen and cut off meanwhile', async () => {
  const [round] = await runCampaign({ rounds: 1, seed: 7, photos: 16, faults: 5, spreadMs: 5_000, size: { width: 400, height: 300 } });
  expect(round?.violations).toEqual([]);
});
