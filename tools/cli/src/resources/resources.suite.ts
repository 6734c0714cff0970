import { freePort } from '@leasehold/test-stack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../index.js';
import { startIngest } from '../testbed/ingest.fixture.js';
import type { TestQueue } from '../testbed/queue.fixture.js';
import type { Ran } from '../testbed/run.fixture.js';

/** `files retry`, `imports retry`, `explain file` and `explain import`, on a real queue and a scripted ingest. */
export function resourcesSuite(queue: () => TestQueue): void {
  describe('files and imports', () => {
    let ingest: Awaited<ReturnType<typeof startIngest>>;
    beforeEach(async () => {
      ingest = await startIngest();
    });
    afterEach(() => ingest.stop());
    const leasehold = (args: string): Promise<Ran> => queue().leasehold(args, { env: { LEASEHOLD_INGEST: ingest.address } });

    test('a refused photo is queued again; one that is not refused stays as it is', async () => {
      expect(await leasehold('files retry photo-1')).toEqual({ code: exitCodes.done, err: '', out: 'namespaces/default/files/photo-1 is QUEUED as generation 2\nnext\n  npx leasehold explain file namespaces/default/files/photo-1' });
      expect(await leasehold('files retry namespaces/default/files/photo-1')).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^FILE_NOT_REJECTED/) });
      expect(await leasehold('files retry photo-9')).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^FILE_NOT_FOUND/) });
      expect(await leasehold('files retry namespaces/default/imports/photo-1')).toMatchObject({ code: exitCodes.usage });
    });

    test('a refused import is accepted again, and shown to programs with exact numbers', async () => {
      expect(JSON.parse((await leasehold('explain import batch-1 --namespace team --json')).out)).toMatchObject({ import: { state: 'REJECTED', rejection: { rowErrorCount: '1' } }, jobs: [{ job: 'namespaces/team/kinds/import/jobs/batch-1.1', events: [] }] });
      expect((await leasehold('imports retry batch-1 --namespace team')).out).toMatch(/^namespaces\/team\/imports\/batch-1 is ACCEPTED as generation 2\n/);
    });

    test('a card is explained by its own state first, then by the jobs of its generations', async () => {
      await queue().enqueue('photo-1.1');
      const refused = await leasehold('explain file photo-1');
      expect(refused.out).toMatch(/^namespaces\/default\/files\/photo-1 is REJECTED, generation 1\n {2}EXHAUSTED: every attempt failed\n\S+\/photo-1\.1 is QUEUED: image@1[\s\S]*NO_READER[\s\S]*next\n {2}npx leasehold files retry namespaces\/default\/files\/photo-1$/);
      await leasehold('files retry photo-1');
      expect((await leasehold('explain file photo-1')).out).toMatch(/is QUEUED, generation 2\n\S+photo-1\.1 is QUEUED[\s\S]*\n\S+photo-1\.2: neither a record nor an event is left$/);
    });

    test('a card is told although no coordinator answers; exit code 2', async () => {
      const nobody = `127.0.0.1:${await freePort()}`;
      expect(await leasehold(`explain file photo-1 --coordinator ${nobody}`)).toMatchObject({ code: exitCodes.unreachable, out: expect.stringMatching(/^namespaces\/default\/files\/photo-1 is REJECTED/), err: expect.stringMatching(/^no coordinator answers/) });
    });

    test('an ingest that is away is named, with how to name another; exit code 2', async () => {
      const nobody = `127.0.0.1:${await freePort()}`;
      expect(await queue().leasehold(`explain file photo-1 --ingest ${nobody}`)).toMatchObject({ code: exitCodes.unreachable, err: expect.stringMatching(/^no ingest answers at \S+\nstart one, or name it with --ingest/) });
    });
  });
}
