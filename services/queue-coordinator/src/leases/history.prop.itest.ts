import { afterAll, beforeAll, test } from 'vitest';
import { QueueUnderTest, type CoordinatorUnderTest } from '../testing/queue-under-test.js';
import { tryHistories } from './history.prop.js';

let queue: QueueUnderTest;
let coordinators: readonly CoordinatorUnderTest[];
beforeAll(async () => {
  queue = await QueueUnderTest.open();
  coordinators = [await queue.coordinator(), await queue.coordinator()];
});
afterAll(() => queue.close());

test('in any history: one outcome per enqueue, fences rise, attempts keep their bound, no superseded holder is believed, repeats answer the same', async () => {
  await tryHistories({ queue, coordinators }, 15);
}, 3_600_000);
