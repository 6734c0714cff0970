import { afterAll, beforeAll, beforeEach } from 'vitest';
import { gateSuite } from './gates/gates.suite.js';
import { TestQueue } from './testbed/queue.fixture.js';

// One coordinator for all of them: to start one for each would take most of the time.
let queue: TestQueue;
beforeAll(async () => {
  queue = await TestQueue.open();
});
afterAll(() => queue.close());
beforeEach(() => queue.reset());

gateSuite(() => queue);
