import { StackFault, type LogEvent } from '@leasehold/test-stack';
import { orAbort } from '../interrupt.js';
import type { Service } from '../processes/service.js';

const patienceMs = 30_000;

/** A log line of a service. Fields are read as text. */
export class Occurrence {
  readonly #line: LogEvent;

  constructor(line: LogEvent) {
    this.#line = line;
  }

  /** ms since 1970, as the service saw it. */
  get at(): number {
    return Date.parse(this.text('time'));
  }

  text(field: string): string {
    const value = this.#line[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }

  has(fields: Readonly<Record<string, string>>): boolean {
    return Object.entries(fields).every(([name, value]) => this.text(name) === value);
  }
}

/**
 * The first line of that event, logged by any of the services before or after this call, that fits.
 * @throws StackFault after 30 s without one; the signal's reason
 */
export async function firstEvent(services: readonly Service[], event: string, fits: (line: Occurrence) => boolean, signal: AbortSignal): Promise<Occurrence> {
  const waits = services.map(({ process }) => process.waitForEvent((line) => line['event'] === event && fits(new Occurrence(line)), { timeoutMs: patienceMs }));
  try {
    return new Occurrence(await orAbort(Promise.any(waits), signal));
  } catch (error) {
    signal.throwIfAborted();
    throw new StackFault(`${services.map(({ name }) => name).join(', ')} logged no ${event} within ${patienceMs / 1000} s`, { cause: error });
  }
}
