// What commands promise, on a real PostgreSQL and coordinator. The suites lie beside the code that they hold; they share one coordinator, as starting one for each
// would take most of the time.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { gateSuite } from './gates/gates.suite.js';
import { jobsSuite } from './jobs/jobs.suite.js';
import { readmeSuite } from './readme.suite.js';
import { resourcesSuite } from './resources/resources.suite.js';
import { rolloutSuite } from './rollout/rollout.suite.js';
import { TestQueue } from './testbed/queue.fixture.js';
import { workersSuite } from './workers/workers.suite.js';

let queue: TestQueue;
beforeAll(async () => {
  queue = await TestQueue.open();
});
afterAll(() => queue.close());
beforeEach(() => queue.reset());

for (const suite of [gateSuite, rolloutSuite, workersSuite, jobsSuite, resourcesSuite, readmeSuite]) suite(() => queue);
