import { describe, expect, test } from 'vitest';
import { exitCodes } from '../index.js';
import type { TestQueue } from '../testbed/queue.fixture.js';

/** `workers …` on a real queue. */
export function workersSuite(queue: () => TestQueue): void {
  describe('workers', () => {
    const statesOf = async (): Promise<string> => (await queue().sql.query<{ state: string }>('select state from workers order by build, state')).rows.map(({ state }) => state).join(' ');
    const mixed = async (): Promise<string[]> => {
      const workers = [await queue().worker('image-worker@0.1.0', [1]), await queue().worker('image-worker@0.1.0', [1]), await queue().worker('image-worker@0.2.0', [1, 2])];
      return workers.map(({ workerId }) => workerId);
    };

    test('workers are listed by build with what they read, also for programs', async () => {
      expect((await queue().leasehold('workers list')).out).toBe('no workers');
      const ids = await mixed();
      const { out } = await queue().leasehold('workers list --kind image --build image-worker@0.2.0');
      expect(out).toMatch(new RegExp(`^worker +build +state +leases +reads +last heard\\n${ids[2]} +image-worker@0\\.2\\.0 +ACTIVE +0/4 +image@1 image@2 +\\S+Z$`));
      expect(await queue().json('workers list --build image-worker@0.2.0')).toMatchObject([{ workerId: ids[2], state: 'ACTIVE', leases: 0, reads: ['image@1', 'image@2'], suspended: [] }]);
    });

    test('one worker is told at once; more than one only with --yes, after a look at who is meant', async () => {
      const [first = ''] = await mixed();
      expect((await queue().leasehold(`workers cordon ${first} --reason tired`)).out).toContain('CORDONED');
      const many = await queue().leasehold('workers drain --without-contract image@2');
      expect(many).toMatchObject({ code: exitCodes.refused, out: '' });
      expect(many.err).toMatch(/image-worker@0\.1\.0[\s\S]*nothing was changed: 2 workers are meant; say --yes if these are the ones$/);
      expect(await statesOf()).toBe('active cordoned active');
      expect((await queue().leasehold('workers drain --without-contract image@2 --validate-only')).out).toMatch(/^nothing was changed: 2 workers are meant\n/);
      expect((await queue().leasehold('workers drain --without-contract image@2 --yes')).code).toBe(exitCodes.done);
      expect(await statesOf()).toBe('draining draining active');
      expect((await queue().leasehold('audit --limit 1')).out).toContain('workers_drained');
      expect((await queue().leasehold('workers cordon --build image-worker@0.2.0 --force --reason test')).code).toBe(exitCodes.done);
      expect((await queue().leasehold('workers uncordon --contract image@2')).out).toContain('ACTIVE');
    });

    test('the last reader of what is present is not drained by accident', async () => {
      const { workerId } = await queue().worker('image-worker@0.1.0', [1]);
      await queue().enqueue('photo-1');
      const refused = await queue().leasehold(`workers drain ${workerId} --yes`);
      expect(refused).toEqual({
        code: exitCodes.refused, out: '',
        err: 'nothing was changed: nobody else reads what is present\n  image@1 would lose its last reader; 1 job of it is left\nstart a build that reads it first, or say --force --reason\nnext\n  npx leasehold contracts describe image@1',
      });
      expect(await queue().json(`workers drain ${workerId} --validate-only`)).toMatchObject({ validateOnly: true, stranded: [{ contract: 'image@1', jobs: '1' }] });
      expect(await queue().leasehold(`workers drain ${workerId} --force`)).toMatchObject({ code: exitCodes.usage });
      expect((await queue().leasehold(`workers drain ${workerId} --force --reason maintenance`)).out).toContain('DRAINING');
    });

    test('nobody named is wrong usage, and nobody found is refused', async () => {
      expect(await queue().leasehold('workers drain')).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('who is meant?') });
      expect(await queue().leasehold('workers drain --contract image')).toMatchObject({ code: exitCodes.usage });
      expect(await queue().leasehold('workers drain --build none')).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('npx leasehold workers list') });
    });
  });
}
