import { describe, expect, test, vi } from 'vitest';
import { exitCodes } from '../index.js';
import { jobName, only, type TestQueue } from '../testbed/queue.fixture.js';

/** `jobs …`, `queue stats`, `watch drain` and `explain job` on a real queue. */
export function jobsSuite(queue: () => TestQueue): void {
  describe('jobs', () => {
    test('jobs are listed, described and cancelled', async () => {
      await queue().enqueue('photo-1');
      expect((await queue().leasehold('jobs list')).out).toMatch(/^job +state +contract +attempt +fence +enqueued +reason\nnamespaces\/default\/kinds\/image\/jobs\/photo-1 +QUEUED +image@1 +0\/3/);
      expect((await queue().leasehold(`jobs describe ${jobName('photo-1')}`)).out).toMatch(/^job +\S+photo-1\nstate +QUEUED\ncontract +image@1\n/);
      expect((await queue().leasehold(`jobs cancel ${jobName('photo-1')}`)).out).toBe(`${jobName('photo-1')} is cancelled`);
      expect(await queue().leasehold(`jobs describe ${jobName('nothing')}`)).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^JOB_NOT_FOUND/) });
    });

    test('a discard says what it would end, wants --yes and a reason, and tells how many are gone', async () => {
      await queue().enqueue('photo-1');
      await queue().enqueue('photo-2');
      const discard = "jobs discard image@1 --reason 'corrupt output'";
      expect(await queue().leasehold('jobs discard image@1')).toMatchObject({ code: exitCodes.usage });
      expect(await queue().leasehold(`${discard} --validate-only`)).toMatchObject({ code: exitCodes.done, out: 'nothing was changed: 2 jobs of image@1 would be discarded, 0 would remain' });
      expect(await queue().leasehold(discard)).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^nothing was changed: 2 jobs of image@1 would be lost to their owners; say --yes if that is meant; while image@1 is paused they only wait\nnext\n {2}npx leasehold contracts describe image@1$/) });
      expect(await queue().json(`${discard} --yes --max 1`)).toEqual({ contract: 'image@1', discarded: '1', remaining: '1', validateOnly: false });
      expect(await queue().leasehold(`${discard} --yes`)).toMatchObject({ out: '1 job of image@1 discarded, 0 remain' });
      expect((await queue().leasehold(`explain job ${jobName('photo-1')}`)).out).toMatch(/is CANCELLED[\s\S]*discarded under fence \d+ by ada@desk: corrupt output/);
    });

    test('the queue is shown by where jobs stand, once or again and again', async () => {
      await queue().enqueue('photo-1');
      await queue().enqueue('photo-2', 1, 60_000);
      expect((await queue().leasehold('queue stats')).out).toMatch(/^contract +state +due +scheduled +retrying +leased +undispatched +outcomes +oldest +readers\nimage@1 +OPEN +1 +1 +0 +0 +0 +0 +\d+ s +0\n/);
      expect(await queue().json('queue stats')).toMatchObject([{ contract: 'image@1', left: { due: '1', scheduled: '1', total: '2' }, readers: 0 }, { contract: 'import@1' }]);
      const stop = new AbortController();
      const lines: string[] = [];
      const watching = queue().leasehold('queue stats --watch --interval 10ms --json', { interrupt: () => stop.signal, heard: (text) => void lines.push(text) });
      await vi.waitFor(() => expect(lines.length).toBeGreaterThan(1));
      stop.abort();
      expect((await watching).code).toBe(exitCodes.done);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ contracts: [{ contract: 'image@1' }, { contract: 'import@1' }] });
    });

    test('a drain is watched until nothing is left, outcomes included; in time, or with what is left', async () => {
      await queue().enqueue('photo-1');
      const worker = await queue().worker('image-worker@0.1.0', [1]);
      expect(await queue().leasehold('watch drain image@1 --timeout 1ms')).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^not in time: /) });
      const stop = new AbortController();
      expect(await queue().leasehold('watch drain image@1', { interrupt: () => stop.signal, heard: () => stop.abort() })).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^interrupted: image@1: 1 \(due 1\) left\nnext\n {2}npx leasehold explain job \S+photo-1$/) });
      const told: string[] = [];
      const watching = queue().leasehold('watch drain image@1', { heard: (text) => void told.push(text) });
      await vi.waitFor(() => expect(told[0]).toMatch(/^image@1: 1 \(due 1\) left, the oldest for \d+ s: \S+photo-1$/));
      await worker.complete(...await worker.take());
      await queue().acknowledgeAll([1]);
      const { code, out, err } = await watching;
      expect({ code, err, last: out.split('\n').at(-1) }).toEqual({ code: exitCodes.done, err: 'next\n  npx leasehold gate retire image@1', last: 'nothing is left of image@1' });
      expect(await queue().json('watch drain image@1')).toMatchObject({ contract: 'image@1', left: { total: '0' }, witnesses: [] });
    });

    test('a timeline names holders, fences and who was refused', async () => {
      await queue().enqueue('photo-1');
      const [a, b] = [await queue().worker('image-worker@0.1.0', [1]), await queue().worker('image-worker@0.1.0', [1])];
      const stale = only(await a.take());
      await queue().sql.query("update jobs set expires_at = now() - interval '1 second', run_ends_at = now() - interval '1 second'");
      await vi.waitFor(async () => expect((await queue().sql.query<{ state: string }>('select state from jobs')).rows[0]?.state).toBe('queued'), { timeout: 5_000 });
      await queue().sql.query('update jobs set available_at = now()');
      const fresh = only(await b.take());
      await a.complete(stale);
      const running = await queue().leasehold(`explain job ${jobName('photo-1')}`);
      expect(running.out).toMatch(new RegExp(`is LEASED: image@1, attempt 2 of 3\\n.*enqueued as image@1\\n.*fence ${stale.fence} of worker ${a.workerId} expired: requeued\\n.*fence ${fresh.fence} to worker ${b.workerId}: image-worker@0.1.0, attempt 2 of 3\\n.*worker ${a.workerId} refused \\(complete\\): it came with fence ${stale.fence}, and ${fresh.fence} counts$`));
      await b.complete(fresh);
      expect((await queue().leasehold(`explain job ${jobName('photo-1')}`)).out).toMatch(new RegExp(`is SUCCEEDED[\\s\\S]*fence ${fresh.fence}: succeeded by image-worker@0.1.0, attempt 2`));
    });

    test('a job that waits says why, and a job that nobody knows is refused', async () => {
      await queue().enqueue('photo-1');
      expect((await queue().leasehold(`explain job ${jobName('photo-1')}`)).out).toMatch(/is QUEUED: image@1, attempt 0 of 3\n.*enqueued as image@1\nwaits for\n {2}NO_READER {2}image@1\n {6}no live worker reads image@1$/);
      expect(await queue().json(`explain job ${jobName('photo-1')}`)).toMatchObject({ state: 'QUEUED', events: [{ event: 'job_enqueued', fence: '0' }], waitingFor: [{ code: 'NO_READER' }] });
      expect(await queue().leasehold(`explain job ${jobName('nothing')}`)).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^JOB_NOT_FOUND/) });
      expect(await queue().leasehold('explain job nothing')).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('name is not of the form') });
    });
  });
}
