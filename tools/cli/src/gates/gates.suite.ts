import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@leasehold/test-stack';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { exitCodes } from '../index.js';
import { jobName, type TestQueue } from '../testbed/queue.fixture.js';
import { run } from '../testbed/run.fixture.js';

/** `gate …` on a real queue. */
export function gateSuite(queue: () => TestQueue): void {
  describe('gates', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'leasehold-gates-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    const candidate = async (reads: readonly string[]): Promise<string> => {
      const path = join(folder, 'leasehold-build.json');
      await writeFile(path, JSON.stringify({ build: 'image-worker@0.2.0', reads }));
      return path;
    };

    test('a gate that passes shows what it counted and the step to type; exit code 0', async () => {
      await queue().openVersion2();
      await queue().worker('image-worker@0.2.0', [1, 2]);
      await queue().produce([1, 2]);
      const { code, out, err } = await queue().leasehold('gate prefer image@2 --percent 100');
      expect({ code, err }).toEqual({ code: exitCodes.done, err: '' });
      expect(out).toMatch(/^PASS {2}prefer image@2 at 100 %, as of \d{4}-.*Z\ncounted\n {2}1 +workers that read image@2\n[\s\S]*\nnext\n {2}npx leasehold rollout prefer image@2 --percent 100$/);
    });

    test('a gate that fails names each witness and the next commands; exit code 1', async () => {
      await queue().enqueue('photo-1');
      await queue().worker('image-worker@0.1.0', [1]);
      const { code, out } = await queue().leasehold('gate retire image@1');
      expect(code).toBe(exitCodes.refused);
      expect(out).toContain('FAIL  retire image@1');
      expect(out).toContain(`  JOBS_LEFT  ${jobName('photo-1')}\n      one of 1 that are left of image@1`);
      expect(out).toContain(`next\n  npx leasehold gate close image@1\n  npx leasehold rollout close image@1\n  npx leasehold watch drain image@1\n  npx leasehold explain job ${jobName('photo-1')}`);
    });

    test('a gate that cannot say is UNKNOWN; exit code 2', async () => {
      await queue().openVersion2();
      const worker = await queue().worker('image-worker@0.2.0', [1, 2]);
      await queue().produce([1, 2]);
      await queue().sql.query("update workers set last_seen_at = now() - interval '60 seconds'");
      const { code, out } = await queue().leasehold('gate open image@2');
      expect(code).toBe(exitCodes.unreachable);
      expect(out).toMatch(new RegExp(`UNKNOWN {2}open image@2[\\s\\S]*READER_UNCERTAIN {2}workers/${worker.workerId}`));
    });

    test('nobody who answers is exit code 2 and says how to name one; a contract that nobody knows is refused', async () => {
      const nobody = `127.0.0.1:${await freePort()}`;
      expect(await run(['gate', 'close', 'image@1', '--coordinator', nobody])).toEqual({
        code: exitCodes.unreachable, out: '', err: `no coordinator answers at ${nobody}\nstart one, or name it with --coordinator, LEASEHOLD_COORDINATORS or "coordinators" in the configuration file`,
      });
      expect(await queue().leasehold('gate close image@9')).toEqual({ code: exitCodes.refused, out: '', err: 'CONTRACT_NOT_FOUND: image@9 is not known: announce it first\nnext\n  npx leasehold contracts list' });
    });

    test.each([
      ['gate open image'], ['gate open image@0'], ['gate prefer image@1'], ['gate prefer image@1 --percent 101'], ['gate open image@1 --timeout soon'], ['gate build'], ['gate build --candidate /nonexistent.json'], ['gate'], ['gate swing image@1'],
    ])('%s is wrong usage', async (args) => {
      const { code, err } = await queue().leasehold(args);
      expect({ code, says: err !== '' }).toEqual({ code: exitCodes.usage, says: true });
    });

    test('programs get verdict, witnesses and counts under stable names, exact numbers as strings', async () => {
      await queue().enqueue('photo-1');
      expect(await queue().json('gate close image@1')).toEqual({
        gate: 'close', question: 'close image@1', verdict: 'FAIL', evaluateTime: expect.stringMatching(/Z$/),
        findings: [{ code: 'NO_OTHER_VERSION', subject: 'image@1', description: expect.any(String) }],
        counted: [{ what: 'producers of image that were heard lately', count: '0' }], nextCommands: ['leasehold contracts list image'],
      });
    });

    test('--watch asks again until the gate passes, telling of each change once', async () => {
      await queue().openVersion2();
      await queue().produce([1, 2]);
      const told: string[] = [];
      const watching = queue().leasehold('gate open image@2 --watch --interval 20ms', { heard: (text) => void told.push(text) });
      await vi.waitFor(() => expect(told).toHaveLength(1));
      await queue().worker('image-worker@0.2.0', [1, 2]);
      const { code, out, err } = await watching;
      expect(code).toBe(exitCodes.done);
      expect(out).toMatch(/^PASS/);
      expect(err).toBe('waiting  open image@2: FAIL: image@2: no live worker reads image@2: start a build that does');
    });

    test('--watch ends with the last answer when the time is over, and when it is interrupted', async () => {
      expect(await queue().leasehold('gate close image@1 --watch --interval 10ms --timeout 30ms')).toMatchObject({ code: exitCodes.refused, out: expect.stringMatching(/^FAIL/) });
      expect(await queue().leasehold('gate close image@1 --watch', { interrupt: () => AbortSignal.abort() })).toMatchObject({ code: exitCodes.refused });
      const nobody = await run(['gate', 'close', 'image@1', '--watch', '--interval', '10ms', '--timeout', '30ms', '--coordinator', `127.0.0.1:${await freePort()}`]);
      expect(nobody).toMatchObject({ code: exitCodes.unreachable, out: '' });
    });

    test('a build that drops a version which is still present is refused by its manifest, and one that reads it passes', async () => {
      await queue().worker('image-worker@0.1.0', [1]);
      const dropping = await queue().leasehold(`gate build --candidate ${await candidate(['image@2'])} --replaces image-worker@0.1.0`);
      expect(dropping.code).toBe(exitCodes.refused);
      expect(dropping.out).toMatch(/^FAIL {2}build image-worker@0\.2\.0 in place of image-worker@0\.1\.0[\s\S]*LOSES_READER {2}image@1/);
      expect(await queue().leasehold(`gate build --candidate ${await candidate(['image@1', 'image@2'])} --replaces image-worker@0.1.0`)).toMatchObject({ code: exitCodes.done, err: '' });
      expect(await queue().leasehold(`gate build --candidate ${await candidate(['image@2'])} --replaces image-worker@0.1`)).toMatchObject({ code: exitCodes.done, err: expect.stringMatching(/^note {2}no live worker runs image-worker@0\.1: is that its name\?/) });
      const wrong = await queue().leasehold(`gate build --candidate ${await candidate(['image-2'])}`);
      expect(wrong).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('build.candidate.reads[0]') });
    });

    test('colour is for terminals, and NO_COLOR turns it off; next commands carry the flags that were given', async () => {
      const painted = await queue().leasehold('gate close image@1', { colour: true });
      expect(painted.out).toContain('\u{1B}[31mFAIL\u{1B}[39m');
      expect((await queue().leasehold('gate close image@1', { colour: true, env: { NO_COLOR: '1' } })).out).not.toContain('\u{1B}');
      expect((await queue().leasehold(`gate close image@1 --coordinator ${queue().address}`)).out).toContain(`npx leasehold contracts list image --coordinator ${queue().address}`);
    });
  });
}
