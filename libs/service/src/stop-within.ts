import type { Logger } from 'pino';
import type { Clock } from './clock.js';

/** What is asked to stop; the signal aborts when its time is up. */
export type StopWork = (deadline: AbortSignal) => void | Promise<void>;

/** stopped: returned in time. failed: threw. hung: did not return within its time. abandoned: asked, but there was no time to wait for it. */
export type StopOutcome = 'stopped' | 'failed' | 'hung' | 'abandoned';

/**
 * Asks one part of a process to stop and waits for it, never longer than leftMs. Its deadline aborts after phaseMs, or graceMs before the
 * end of leftMs if that is sooner; from then on it has graceMs to return. Never rejects: the others must be stopped whatever this one does.
 */
export async function stopWithin(o: { name: string; run: StopWork; leftMs: number; phaseMs: number; graceMs: number; logger: Logger; clock: Clock }): Promise<StopOutcome> {
  const deadline = new AbortController();
  if (o.leftMs <= 0) deadline.abort(new Error('no time is left to stop'));
  const work = attempt(o, deadline.signal);
  if (o.leftMs <= 0) return 'abandoned';
  const ended = new AbortController();
  try {
    return await Promise.race([work, expiry(o, deadline, ended.signal)]);
  } finally {
    ended.abort();
  }
}

async function attempt({ name, run, logger }: { name: string; run: StopWork; logger: Logger }, deadline: AbortSignal): Promise<StopOutcome> {
  try {
    await run(deadline);
    return 'stopped';
  } catch (err) {
    logger.error({ event: 'component_stop_failed', component: name, err }, 'did not stop cleanly');
    return 'failed';
  }
}

async function expiry(
  { name, leftMs, phaseMs, graceMs, logger, clock }: { name: string; leftMs: number; phaseMs: number; graceMs: number; logger: Logger; clock: Clock },
  deadline: AbortController, ended: AbortSignal,
): Promise<StopOutcome> {
  try {
    await clock.wait(Math.max(0, Math.min(phaseMs, leftMs - graceMs)), ended);
    deadline.abort(new Error(`${name} ran out of time to stop`));
    await clock.wait(Math.min(graceMs, leftMs), ended);
  } catch {
    return 'stopped'; // the wait was cut short as the work ended first; the race is decided
  }
  logger.error({ event: 'component_stop_hung', component: name }, 'did not stop within its deadline');
  return 'hung';
}
