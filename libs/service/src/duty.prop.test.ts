import fc from 'fast-check';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { ManualClock } from './clock.js';
import { Duty } from './duty.js';

const everyMs = 1000;
const longestBackoffMs = 10_000;

/** A duty whose runs end when the test says so, and what was seen of it. */
class Observed {
  readonly clock = new ManualClock();
  readonly duty: Duty;
  runs = 0;
  running = 0;
  mostRunning = 0;
  wakes = 0;
  wakesSeenByLastRun = 0;
  lastEnd: Ending = 'done';
  #end: ((ending: Ending) => void) | undefined;

  constructor() {
    this.duty = new Duty({ name: 'observed', everyMs, clock: this.clock, registry: new Registry(), logger: captureLog('silent').logger, run: () => this.#run() });
  }

  wake(): void {
    this.wakes += 1;
    this.duty.wake();
  }

  async end(ending: Ending): Promise<void> {
    this.#end?.(ending);
    await this.clock.advance(0);
  }

  async #run(): Promise<number> {
    this.runs += 1;
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    this.wakesSeenByLastRun = this.wakes;
    this.lastEnd = await new Promise<Ending>((resolve) => { this.#end = resolve; });
    this.#end = undefined;
    this.running -= 1;
    if (this.lastEnd === 'failed') throw new Error('as the test said');
    return this.lastEnd === 'more' ? 1 : 0;
  }
}

type Ending = 'done' | 'more' | 'failed';
type Step = { kind: 'advance'; ms: number } | { kind: 'wake' } | { kind: 'end'; ending: Ending };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 2500 }) }),
  fc.record({ kind: fc.constant('wake' as const) }),
  fc.record({ kind: fc.constant('end' as const), ending: fc.constantFrom<Ending>('done', 'more', 'failed') }),
);

async function take(seen: Observed, next: Step): Promise<void> {
  if (next.kind === 'advance') await seen.clock.advance(next.ms);
  else if (next.kind === 'wake') await wake(seen);
  else await seen.end(next.ending);
}

async function wake(seen: Observed): Promise<void> {
  seen.wake();
  await seen.clock.advance(0);
  // Whatever it was waiting for, other than the delay after an error: a wake-up brings a run without any time going by.
  if (seen.lastEnd !== 'failed') expect(seen.running).toBe(1);
}

test('whatever happens in whatever order: runs never overlap, no wake-up is lost, the loop lives on, and nothing runs after a stop', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
    const seen = new Observed();
    await seen.duty.start();
    for (const next of steps) await take(seen, next);

    // Errors only delay: after the longest backoff a run is under way again, or the interval has brought one.
    if (seen.running === 0) await seen.clock.advance(longestBackoffMs);
    expect(seen.running).toBe(1);
    // A wake-up during a run is followed by a run that began after it, without any time going by.
    seen.wake();
    await seen.end('done');
    expect(seen.running).toBe(1);
    expect(seen.wakesSeenByLastRun).toBe(seen.wakes);
    // Without one, the loop goes to sleep: wake-ups are not counted up.
    await seen.end('done');
    expect(seen.running).toBe(0);

    const { runs } = seen;
    await seen.duty.stop();
    seen.wake();
    await seen.clock.advance(10 * longestBackoffMs);
    expect(seen.runs).toBe(runs);
    expect(seen.mostRunning).toBe(1);
    expect(seen.clock.pending).toBe(0);
  }), { numRuns: 150 });
});
