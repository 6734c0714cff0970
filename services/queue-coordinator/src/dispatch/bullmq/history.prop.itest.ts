import { leftOut } from '@leasehold/test-stack';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { tryHistories, type Mischief } from '../../leases/history.prop.js';
import { BullmqUnderTest } from '../../testing/bullmq-under-test.js';
import type { CoordinatorUnderTest } from '../../testing/queue-under-test.js';
import type { Step } from './failpoint.js';

const losing = new Map<Step, number>();
const failpoint = (step: Step): void => {
  const left = losing.get(step) ?? 0;
  if (left === 0) return;
  losing.set(step, left - 1);
  throw new Error(`lost at ${step}`);
};

const lose: Readonly<Record<Exclude<Mischief, 'flush'>, readonly Step[]>> = { 'lose-moves': ['moving', 'holding', 'refusing'], 'lose-relay': ['added'], 'lose-pop': ['popped'] };

describe.skipIf(leftOut('redis'))('BullMQ that forgets and is not told', () => {
  let under: BullmqUnderTest;
  let coordinators: readonly CoordinatorUnderTest[];
  beforeAll(async () => {
    under = await BullmqUnderTest.open();
    const env = { LEASEHOLD_BULLMQ_KINDS: 'image' };
    coordinators = [await under.coordinator({ env, failpoint }), await under.coordinator({ env, failpoint })];
  });
  afterAll(() => under.close());

  test('in any history: the same holds as with PostgreSQL, and no job is left that nothing hands out', async () => {
    const mischief = async (what: Mischief): Promise<void> => {
      if (what === 'flush') await under.client.flushall();
      else for (const step of lose[what]) losing.set(step, 1);
    };
    await tryHistories({ queue: under.queue, coordinators, mischief }, 5);
  }, 3_600_000);
});
