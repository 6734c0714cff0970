import type { Logger } from 'pino';
import { systemClock } from './clock.js';
import type { Readiness } from './readiness.js';

/** Asks a service for its readiness. Probes that come while one runs share its answer: a slow dependency must not be asked more, the slower it gets. */
export class ReadinessCheck {
  readonly #o: { readiness: () => Promise<Readiness[]>; readinessTimeoutMs?: number; logger: Logger };
  #running: Promise<Readiness[]> | undefined;

  constructor(o: { readiness: () => Promise<Readiness[]>; readinessTimeoutMs?: number; logger: Logger }) {
    this.#o = o;
  }

  /** Never rejects and never hangs: what goes wrong is an answer too. */
  async run(): Promise<Readiness[]> {
    this.#running ??= this.#ask().finally(() => { this.#running = undefined; });
    const timeoutMs = this.#o.readinessTimeoutMs ?? 2000;
    const answered = new AbortController();
    const late = systemClock.wait(timeoutMs, answered.signal).then(
      () => [{ name: 'readiness', ok: false, detail: `no answer within ${timeoutMs} ms` }],
      () => [],
    );
    const checks = await Promise.race([this.#running, late]);
    answered.abort();
    return checks;
  }

  async #ask(): Promise<Readiness[]> {
    try {
      return await this.#o.readiness();
    } catch (err) {
      this.#o.logger.error({ event: 'readiness_check_failed', err }, 'counts as not ready');
      return [{ name: 'readiness', ok: false, detail: 'the check failed; see the log' }];
    }
  }
}
