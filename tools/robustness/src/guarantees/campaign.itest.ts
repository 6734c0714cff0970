import { expect, test } from 'vitest';
import { runCampaign } from '../campaign/run-campaign.js';

test('one short round of the campaign: every photo ends as it must, whatever was killed, frozen and cut off meanwhile', async () => {
  const [round] = await runCampaign({ rounds: 1, seed: 7, photos: 16, faults: 5, spreadMs: 5_000, size: { width: 400, height: 300 } });
  expect(round?.violations).toEqual([]);
}, 180_000);
