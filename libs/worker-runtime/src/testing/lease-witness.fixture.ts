import { LeaseExtensionVerdict, type AcquireLeasesRequest, type ExtendLeasesRequest, type SettleLeasesRequest } from '@leasehold/lease-v1';
import { msOfDuration } from '@leasehold/rpc';
import type { Clock } from '@leasehold/service';
import { contentOf } from './coordinator-model.fixture.js';
import type { Heard, Sent, Witness } from './scripted-link.fixture.js';

/** What the witness knows of a lease that the worker was told of. */
export interface Known {
  readonly fence: bigint;
  readonly enqueueId: bigint;
  trustEndsAtMs: number;
  /** A heartbeat or a later grant told the worker that it is gone. Whether it still counts as held depends on whether its settlement was decided. */
  gone: boolean;
  /** Whether its run was under way when the worker learned that. */
  goneWhileRunning: boolean;
  /** What was first sent for it. */
  content: string | undefined;
}

/**
 * Reckons by itself, from what goes over the wire, what the worker must and must not say; throws at the first breach.
 */
export class LeaseWitness implements Witness {
  readonly held = new Map<bigint, Known>();
  readonly everHeld = new Set<bigint>();
  /** The worker drains or registers anew: open numbers may be given up. */
  givesUp = false;
  /** The worker drains: leases may be handed back under their runs. */
  drains = false;
  readonly #clock: Clock;
  readonly #marginMs: number;
  readonly #isRunning: (fence: bigint) => boolean;
  readonly #everSent = new Map<string, string>();
  readonly #numbers = new Map<string, { last: bigint; open: { maxLeases: number } | undefined }>();
  breach: Error | undefined;

  constructor(o: { clock: Clock; marginMs: number; isRunning: (fence: bigint) => boolean }) {
    this.#clock = o.clock;
    this.#marginMs = o.marginMs;
    this.#isRunning = o.isRunning;
  }

  sends(call: Sent): void {
    if (call.method === 'acquire') this.#acquires(call.request);
    if (call.method === 'extend') this.#extends(call.request);
    if (call.method === 'settle') this.#settles(call.request);
  }

  hears(call: Heard): void {
    if (call.method === 'acquire') this.#isGranted(call);
    if (call.method === 'extend') this.#isExtended(call);
    if (call.method === 'settle') for (const { fence } of call.request.settlements) this.held.delete(fence);
  }

  #acquires(request: AcquireLeasesRequest): void {
    this.#listsWhatIsHeld(request);
    const numbers = this.#numbersOf(request.workerId);
    if (numbers.open === undefined) {
      this.#must(request.requestSeq === numbers.last + 1n, `acquire ${request.requestSeq} follows ${numbers.last}`);
      numbers.last = request.requestSeq;
      numbers.open = { maxLeases: request.maxLeases };
    } else {
      this.#must(request.requestSeq === numbers.last, `acquire ${request.requestSeq} while ${numbers.last} is not answered`);
      this.#must(request.maxLeases === numbers.open.maxLeases, 'a repeated acquire asks for something else');
    }
    this.#must(request.answeredSeq === request.requestSeq - 1n, `acquire ${request.requestSeq} says that ${request.answeredSeq} is answered`);
  }

  #extends(request: ExtendLeasesRequest): void {
    this.#listsWhatIsHeld(request);
    const { last, open } = this.#numbersOf(request.workerId);
    const answered = open === undefined ? last : last - 1n;
    this.#must(request.answeredSeq === answered || (this.givesUp && request.answeredSeq === last), `a heartbeat says that ${request.answeredSeq} is answered, not ${answered}`);
  }

  #settles(request: SettleLeasesRequest): void {
    for (const settlement of request.settlements) {
      const content = contentOf(settlement);
      const token = settlement.leaseToken.toString();
      const before = this.#everSent.get(token);
      this.#must(before === undefined || before === content, `two settlements of ${settlement.fence}: ${before} and ${content}`);
      this.#everSent.set(token, content);
      const known = this.held.get(settlement.fence);
      if (known === undefined) {
        this.#must(false, `${settlement.fence} is settled and not held`);
      } else if (before === undefined) {
        const { trustEndsAtMs, goneWhileRunning } = known;
        this.#must(settlement.verb?.$case !== 'complete' || this.#clock.now() < trustEndsAtMs, `${settlement.fence} completes first at ${this.#clock.now()}, trusted until ${trustEndsAtMs}`);
        this.#must(!goneWhileRunning, `${settlement.fence} is settled although its run was told that it is gone`);
        known.content = content;
      }
    }
  }

  #isGranted({ request, response, sentAtMs }: Extract<Heard, { method: 'acquire' }>): void {
    this.#numbersOf(request.workerId).open = undefined;
    for (const { fence, enqueueId, ttl, grantedAfter } of response.leases) {
      for (const older of this.held.values()) if (older.enqueueId === enqueueId && older.fence < fence) this.#isGone(older);
      const trustEndsAtMs = sentAtMs + msOfDuration(grantedAfter) + msOfDuration(ttl) - this.#marginMs;
      this.everHeld.add(fence);
      this.held.set(fence, { fence, enqueueId, trustEndsAtMs, gone: false, goneWhileRunning: false, content: undefined });
    }
  }

  #isExtended({ request, response, sentAtMs }: Extract<Heard, { method: 'extend' }>): void {
    response.results.forEach(({ verdict, ttl }, i) => {
      const enqueueId = request.extensions[i]?.enqueueId;
      const token = request.extensions[i]?.leaseToken.toString();
      const known = [...this.held.values()].find((k) => k.enqueueId === enqueueId && `token-${k.fence}` === token);
      if (known === undefined) return;
      if (verdict !== LeaseExtensionVerdict.CONTINUE) this.#isGone(known);
      else if (this.#clock.now() < known.trustEndsAtMs) known.trustEndsAtMs = sentAtMs + msOfDuration(ttl) - this.#marginMs;
    });
  }

  #isGone(known: Known): void {
    if (known.content !== undefined || known.gone) return;
    known.gone = true;
    known.goneWhileRunning = this.#isRunning(known.fence) && !this.drains;
  }

  #listsWhatIsHeld({ heldFences }: { readonly heldFences: readonly bigint[] }): void {
    const listed = new Set(heldFences);
    for (const { fence, gone } of this.held.values()) this.#must(gone || listed.has(fence), `${fence} is held and not listed`);
    for (const fence of listed) this.#must(this.held.has(fence), `${fence} is listed and not held`);
    this.#must(listed.size === heldFences.length, 'a fence is listed twice');
  }

  #numbersOf(workerId: string): { last: bigint; open: { maxLeases: number } | undefined } {
    const numbers = this.#numbers.get(workerId) ?? { last: 0n, open: undefined };
    this.#numbers.set(workerId, numbers);
    return numbers;
  }

  // Kept as well as thrown: within the worker a throw would look like a call that failed.
  #must(holds: boolean, breach: string): void {
    if (holds) return;
    this.breach ??= new Error(breach);
    throw this.breach;
  }
}
