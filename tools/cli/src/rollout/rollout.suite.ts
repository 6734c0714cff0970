import { describe, expect, test, vi } from 'vitest';
import { exitCodes } from '../index.js';
import type { TestQueue } from '../testbed/queue.fixture.js';

/** `contracts …` and `rollout …` on a real queue. */
export function rolloutSuite(queue: () => TestQueue): void {
  describe('rollout', () => {
    const both = async (share = 0): Promise<void> => {
      await queue().openVersion2(share);
      await queue().worker('image-worker@0.2.0', [1, 2]);
      await queue().produce([1, 2]);
    };
    const shareOf2 = async (): Promise<number | undefined> => (await queue().sql.query<{ share_percent: number }>("select share_percent from contracts where kind = 'image' and version = 2")).rows[0]?.share_percent;

    test('a version is announced by the digest of its descriptors, again without a change, and never with another', async () => {
      const first = await queue().leasehold('contracts announce image@2 --descriptors package.json');
      expect(first).toMatchObject({ code: exitCodes.done, err: '' });
      expect(first.out).toMatch(/^image@2 is ANNOUNCED and is given 0 % of new jobs \(etag 1\)\ndigest [0-9a-f]{64}\nnext\n {2}npx leasehold gate open image@2$/);
      expect(await queue().leasehold('contracts announce image@2 --descriptors package.json')).toEqual(first);
      expect(await queue().leasehold('contracts announce image@2 --descriptors tsconfig.json')).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^CONTRACT_EXISTS: .*announce the next one\nnext\n {2}npx leasehold contracts describe image@2$/) });
      expect(await queue().leasehold('contracts announce image@2 --descriptors /dev/null')).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('is empty') });
      expect(await queue().leasehold('contracts announce image@2 --descriptors /nonexistent')).toMatchObject({ code: exitCodes.usage });
    });

    test('contracts are listed with what is left and who reads them, and described with all that gates look at', async () => {
      await both(10);
      await queue().enqueue('photo-1', 2);
      const list = await queue().leasehold('contracts list image');
      expect(list.out).toMatch(/^contract +state +new jobs +left +oldest +readers\nimage@1 +OPEN +90 % +0 +1\nimage@2 +OPEN +10 % +1 \(due 1\) +\d+ s +1$/);
      expect(await queue().json('contracts list image')).toMatchObject([{ contract: 'image@1' }, { contract: 'image@2', state: 'OPEN', paused: false, sharePercent: 10, readers: 1, left: { total: '1', due: '1', leased: '0', oldestOutcomeAgeMs: null } }]);
      const described = await queue().leasehold('contracts describe image@2');
      expect(described.out).toMatch(/read by\n {2}build +workers +concurrency\n {2}image-worker@0\.2\.0 +1 +4\nproducers of the kind\n {2}producer +build +writes +reads +last heard\n {2}ingest-1 +ingest@0\.2\.0 +1 2 +1 2 +\S+Z\nattempts of the last hour\n {2}none ended$/);
      expect(await queue().json('contracts describe image@2')).toMatchObject({ contract: 'image@2', readers: [{ build: 'image-worker@0.2.0', workers: 1 }], producers: [{ producer: 'ingest-1', writes: [1, 2] }], builds: [] });
    });

    test('a plan shows every step that remains and what its gate says now, and ends with what to type', async () => {
      await queue().worker('image-worker@0.1.0', [1]);
      const unknown = await queue().leasehold('rollout plan image@1 image@2');
      expect(unknown).toMatchObject({ code: exitCodes.done, err: '' });
      expect(unknown.out).toMatch(/^ +step +gate now\n1 +announce image@2 +-\n2 +open image@2 +-\n[\s\S]*next\n {2}npx leasehold contracts announce image@2 --descriptors FILE$/);
      await both(10);
      const { out } = await queue().leasehold('rollout plan image@1 image@2');
      expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
        ' | step | gate now', '1 | prefer image@2 at 50 % | PASS', expect.stringMatching(/^2 \| prefer image@2 at 100 % \| FAIL \| image@2: 4 of 8 concurrent jobs are 50 %/), '3 | drain 1 worker without image@2 | -',
        expect.stringMatching(/^4 \| close image@1 \| FAIL/), expect.stringMatching(/^5 \| retire image@1 \| FAIL/), 'next', ' | npx leasehold rollout prefer image@2 --percent 50',
      ]);
      expect(await queue().json('rollout plan image@2 image@1')).toMatchObject({ from: 'image@2', to: 'image@1', done: false, steps: [{ step: 'prefer image@1 at 100 %', gate: { verdict: 'PASS' } }, { step: 'close image@2' }, { step: 'retire image@2' }] });
      await queue().sql.query("update contracts set state = 'retired' where kind = 'image' and version = 1");
      expect(await queue().leasehold('rollout plan image@2 image@1')).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('never used again') });
      expect(await queue().leasehold('rollout plan image@1 import@2')).toMatchObject({ code: exitCodes.usage });
    });

    test('the whole way: open, ramp, close, retire, each audited with who took it', async () => {
      await queue().leasehold('contracts announce image@2 --descriptors package.json');
      await queue().worker('image-worker@0.2.0', [1, 2]);
      await queue().produce([1, 2]);
      expect((await queue().leasehold('rollout open image@2')).out).toMatch(/^image@2 is OPEN and is given 0 % of new jobs \(etag 2\)\ngate: PASS {2}open image@2, as of \S+\ncounted\n/);
      const ramp = await queue().leasehold('rollout ramp image@2');
      expect(ramp).toEqual({ code: exitCodes.done, err: '', out: [10, 50, 100].map((percent, index) => `image@2 is OPEN and is given ${percent} % of new jobs (etag ${index + 3})`).join('\n') });
      expect((await queue().leasehold('rollout close image@1')).out).toMatch(/^image@1 is CLOSED and is given 0 %/);
      expect((await queue().leasehold('rollout reopen image@1')).out).toMatch(/^image@1 is OPEN/);
      expect((await queue().leasehold('rollout close image@1')).code).toBe(exitCodes.done);
      expect((await queue().leasehold('rollout retire image@1')).out).toMatch(/^image@1 is RETIRED/);
      expect((await queue().leasehold('rollout plan image@1 image@2')).out).toBe('nothing remains: image@2 has taken the place of image@1');
      const audit = await queue().leasehold('audit --subject image@1');
      expect(audit.out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').replace(/^\S+Z/, 'T'))).toEqual([
        'time | who | what | of | detail', 'T | ada@desk | contract_retired | image@1 | retire',
        'T | ada@desk | contract_closed | image@1 | close', 'T | ada@desk | contract_reopened | image@1 | reopen; new jobs: image@1 0 %', 'T | ada@desk | contract_closed | image@1 | close',
      ]);
      expect(await queue().json('audit --limit 2')).toMatchObject([{ action: 'contract_retired', subject: 'image@1', actor: 'ada@desk', forced: false }, { action: 'contract_closed' }]);
    });

    test('a step that its gate refuses shows the witnesses and what to type; force needs a reason, and is written down', async () => {
      await queue().openVersion2();
      const refused = await queue().leasehold('rollout prefer image@2 --percent 10');
      expect(refused).toMatchObject({ code: exitCodes.refused, out: '' });
      expect(refused.err).toMatch(/^GATE_FAILED: prefer image@2\n {2}NO_READER {2}image@2\n {6}no live worker reads image@2: start a build that does\n[\s\S]*\nnext\n {2}npx leasehold workers list --kind image\n {2}npx leasehold contracts describe image@2$/);
      expect(await queue().leasehold('rollout prefer image@2 --percent 10 --force')).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('--force needs --reason') });
      expect(await queue().leasehold('rollout prefer image@2 --percent 10 --reason because')).toMatchObject({ code: exitCodes.usage });
      const forced = await queue().leasehold("rollout prefer image@2 --percent 10 --force --reason 'workers come at noon'");
      expect(forced.out).toMatch(/^image@2 is OPEN and is given 10 %.*\nits gate does not pass any more or was overruled:\n {2}NO_READER/);
      expect((await queue().leasehold('audit')).out).toMatch(/contract_preferred +image@2 +FORCED +prefer 10 %.*workers come at noon/);
    });

    test('a gate that cannot say is exit code 2 for a step as well, and a step from the wrong state is refused', async () => {
      await both();
      await queue().sql.query("update workers set last_seen_at = now() - interval '60 seconds'");
      expect(await queue().leasehold('rollout prefer image@2 --percent 10')).toMatchObject({ code: exitCodes.unreachable, err: expect.stringMatching(/^GATE_UNKNOWN/) });
      expect(await queue().leasehold('rollout retire image@1')).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^CONTRACT_STATE: image@1 is open/) });
    });

    test('--validate-only changes nothing, and --etag holds a step back when somebody was faster', async () => {
      await both();
      expect((await queue().leasehold('rollout prefer image@2 --percent 100 --validate-only')).out).toMatch(/^nothing was changed: this is how it would be\nimage@2 is OPEN and is given 100 %/);
      expect((await queue().leasehold('rollout ramp image@2 --percent 10,100 --validate-only')).out).toMatch(/^would pass: image@2 .* 10 %.*\nwould pass: image@2 .* 100 %/);
      expect(await shareOf2()).toBe(0);
      expect(await queue().leasehold('rollout prefer image@2 --percent 100 --etag 7')).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^ETAG_MISMATCH: .*\nnext\n {2}npx leasehold contracts describe image@2$/) });
      expect(await queue().json('rollout prefer image@2 --percent 100 --etag 1')).toMatchObject({ contract: 'image@2', sharePercent: 100, validateOnly: false, gate: { verdict: 'PASS' } });
    });

    test('a ramp waits for each gate, and ends when somebody pauses the version meanwhile', async () => {
      await both();
      await queue().worker('image-worker@0.1.0', [1]);
      const told: string[] = [];
      const ramping = queue().leasehold('rollout ramp image@2 --interval 20ms', { heard: (text) => void told.push(text) });
      await vi.waitFor(() => expect(told.at(-1)).toMatch(/^waiting {2}prefer image@2 at 100 %: .*4 of 8 concurrent/));
      expect(await shareOf2()).toBe(50);
      await queue().leasehold("rollout pause image@2 --reason 'it makes noise'");
      await queue().sql.query("update workers set state = 'gone' where build = 'image-worker@0.1.0'");
      expect(await ramping).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('ETAG_MISMATCH') });
      expect(await shareOf2()).toBe(50);
    });

    test('a ramp skips what lies behind it, gives up in time with the gate\'s witnesses, and can be interrupted', async () => {
      await both(50);
      await queue().worker('image-worker@0.1.0', [1]);
      const late = await queue().leasehold('rollout ramp image@2 --interval 10ms --timeout 30ms');
      expect(late).toMatchObject({ code: exitCodes.refused, out: '' });
      expect(late.err).toMatch(/^image@2 is given 50 % already: 10 %, 50 % is skipped\n[\s\S]*GATE_FAILED: prefer image@2\n {2}CAPACITY/);
      expect(await queue().leasehold('rollout ramp image@2 --percent 50,10', { interrupt: () => AbortSignal.abort() })).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/interrupted: image@2 stays at 50 %\nnext\n {2}npx leasehold rollout ramp image@2 --percent 10$/) });
      expect(await queue().leasehold('rollout ramp image@2 --percent 50,10 --hold 1ms')).toMatchObject({ code: exitCodes.done });
      expect(await queue().leasehold('rollout ramp image@2 --percent 10,50,20')).toMatchObject({ code: exitCodes.usage });
    });

    test('a paused version says so until it is resumed; a pause needs a reason', async () => {
      expect(await queue().leasehold('rollout pause image@1')).toMatchObject({ code: exitCodes.usage });
      expect((await queue().leasehold("rollout pause image@1 --reason 'bad output'")).out).toMatch(/^image@1 is OPEN PAUSED and is given 100 %.*\nnext\n {2}npx leasehold rollout prefer image@1 --percent 0\n {2}npx leasehold contracts describe image@1\n {2}npx leasehold rollout resume image@1$/);
      expect((await queue().leasehold('rollout resume image@1')).out).toMatch(/^image@1 is OPEN and/);
    });
  });
}
