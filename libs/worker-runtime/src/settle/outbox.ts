import type { Fence } from '../lease/fence.js';
import type { HeldLease } from '../lease/lease-book.js';
import { isTrusted } from '../lease/trust-window.js';
import { withoutTrust, type Settlement, type SettlementContent } from './settlement.js';

/** How many leases one call may settle (lease.v1, SettleLeasesRequest.settlements). */
const MOST_SETTLEMENTS_A_CALL = 512;

/** Keeps a call below the usual limit on received messages (4 MiB) with results of up to 256 KiB each. */
const MOST_BYTES_A_CALL = 2 * 1024 * 1024;

/** The coordinator answers a repeated settlement as it answered the first for at least this long (lease.v1, SettleLeases). */
export const SETTLE_MEMORY_MS = 15 * 60 * 1000;

interface Entry extends Settlement {
  content: SettlementContent;
  readonly held: HeldLease;
  firstSentAtMs: number | undefined;
  notBeforeMs: number;
  failures: number;
  /** Its call was refused as a whole: from now on it goes by itself, so that it cannot hold up others. */
  alone: boolean;
}

/** What is sent in one call. Hand it back with `answered` or `failed`. */
export interface Batch {
  readonly settlements: readonly Settlement[];
}

/**
 * The settlements that wait to be sent or repeated. Pure bookkeeping: told the time, never asks for it.
 *
 * Content is fixed at the first sending; until then a result whose lease has lost trust while it waited becomes a technical failure.
 */
export class SettleOutbox {
  readonly #waiting = new Map<Fence, Entry>();

  submit(held: HeldLease, content: SettlementContent): void {
    const { fence, enqueueId, token } = held.lease;
    this.#waiting.set(fence, { fence, enqueueId, token, content, held, firstSentAtMs: undefined, notBeforeMs: 0, failures: 0, alone: false });
  }

  /** When `take` will next answer something; Infinity when nothing waits. */
  nextAt(): number {
    let next = Infinity;
    for (const entry of this.#waiting.values()) next = Math.min(next, entry.notBeforeMs);
    return next;
  }

  /** The settlements to send now, which stay out of further batches until this one is handed back; undefined when none is due. */
  take(nowMs: number): Batch | undefined {
    const batch: Entry[] = [];
    let bytes = 0;
    for (const entry of this.#waiting.values()) {
      if (entry.notBeforeMs > nowMs) continue;
      if (batch.length === MOST_SETTLEMENTS_A_CALL || (batch.length > 0 && (entry.alone || bytes + sizeOf(entry) > MOST_BYTES_A_CALL))) break;
      if (entry.firstSentAtMs === undefined) {
        if (!isTrusted(entry.held.trust, nowMs)) entry.content = withoutTrust(entry.content);
        entry.firstSentAtMs = nowMs;
      }
      bytes += sizeOf(entry);
      batch.push(entry);
      if (entry.alone) break;
    }
    for (const entry of batch) this.#waiting.delete(entry.fence);
    return batch.length === 0 ? undefined : new SentBatch(batch);
  }

  /**
   * The call was not answered: everything in it is repeated after `delayMs(failures in a row)`.
   * @param o.refused the coordinator refused the call as a whole, so one settlement in it may be at fault for the others
   * @returns those that are given up, as the coordinator may have forgotten them
   */
  failed(batch: Batch, nowMs: number, o: { refused: boolean; delayMs: (failures: number) => number }): Settlement[] {
    const abandoned: Settlement[] = [];
    for (const entry of entriesOf(batch)) {
      entry.failures += 1;
      entry.alone ||= o.refused;
      entry.notBeforeMs = nowMs + o.delayMs(entry.failures);
      if (entry.firstSentAtMs !== undefined && entry.notBeforeMs >= entry.firstSentAtMs + SETTLE_MEMORY_MS) abandoned.push(entry);
      else this.#waiting.set(entry.fence, entry);
    }
    return abandoned;
  }
}

class SentBatch implements Batch {
  readonly settlements: readonly Entry[];

  constructor(settlements: readonly Entry[]) {
    this.settlements = settlements;
  }
}

const entriesOf = (batch: Batch): readonly Entry[] => (batch instanceof SentBatch ? batch.settlements : []);

const sizeOf = (entry: Settlement): number => 64 + (entry.content.verb === 'complete' ? entry.content.result.byteLength : 0);
