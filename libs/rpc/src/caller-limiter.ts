import { faults } from './faults.js';
import type { Fault } from './fault.js';
import type { CallerLimits } from './caller-limits.js';
import type { Identity } from './identity.js';

/** Which limit a call met. */
export type CallerLimit = 'calls' | 'streams' | 'rate';

/** A call that was let in; `leave` when it has ended. */
export interface Admission {
  leave(): void;
}

export interface Refused {
  readonly limit: CallerLimit;
  /** At least so long before another try can succeed, in ms. */
  readonly retryMs: number;
}

interface Account {
  calls: number;
  streams: number;
  tokens: number;
  countedAtMs: number;
}

/** When a place is free depends on calls of others. */
const PLACE_RETRY_MS = 200;
/** Accounts of callers that are away are thrown away once there are so many. */
const MANY_ACCOUNTS = 1_000;

/** Who an account is for: the identity, and for callers over plaintext, who have none of their own, the address. */
export const accountOf = (identity: Identity, peer: string): string =>
  identity.role === 'local' ? `local ${peer.slice(0, Math.max(0, peer.lastIndexOf(':')))}` : identity.id;

/** Keeps account of what each caller takes: places for calls and streams, and tokens that come back with time. */
export class CallerLimiter {
  readonly #limits: CallerLimits;
  readonly #nowMs: () => number;
  readonly #accounts = new Map<string, Account>();

  /** @param nowMs monotonic */
  constructor(limits: CallerLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  enter(caller: string, stream: boolean): Admission | Refused {
    const account = this.#account(caller);
    const { maxCalls, maxStreams, callsPerSecond } = this.#limits;
    if (account.calls >= maxCalls) return { limit: 'calls', retryMs: PLACE_RETRY_MS };
    if (stream && account.streams >= maxStreams) return { limit: 'streams', retryMs: PLACE_RETRY_MS };
    if (account.tokens < 1) return { limit: 'rate', retryMs: Math.ceil(((1 - account.tokens) / callsPerSecond) * 1000) };
    account.tokens -= 1;
    account.calls += 1;
    if (stream) account.streams += 1;
    return {
      leave: () => {
        account.calls -= 1;
        if (stream) account.streams -= 1;
      },
    };
  }

  #account(caller: string): Account {
    const nowMs = this.#nowMs();
    const burst = 2 * this.#limits.callsPerSecond;
    const known = this.#accounts.get(caller);
    if (known !== undefined) {
      known.tokens = Math.min(burst, known.tokens + ((nowMs - known.countedAtMs) / 1000) * this.#limits.callsPerSecond);
      known.countedAtMs = nowMs;
      return known;
    }
    if (this.#accounts.size >= MANY_ACCOUNTS) this.#forgetIdle(nowMs);
    const account = { calls: 0, streams: 0, tokens: burst, countedAtMs: nowMs };
    this.#accounts.set(caller, account);
    return account;
  }

  /** After 2 s without a call an account is as good as a new one. */
  #forgetIdle(nowMs: number): void {
    for (const [caller, { calls, countedAtMs }] of this.#accounts) if (calls === 0 && nowMs - countedAtMs >= 2_000) this.#accounts.delete(caller);
  }
}

const reasons: Readonly<Record<CallerLimit, readonly [reason: string, message: string]>> = {
  calls: ['CALLER_CALLS', 'this caller has too many calls under way'],
  streams: ['CALLER_STREAMS', 'this caller has too many streams under way'],
  rate: ['CALLER_RATE', 'this caller calls too often'],
};

export function limitFault({ limit, retryMs }: Refused, domain: string): Fault {
  const [reason, message] = reasons[limit];
  return faults(domain).exhausted(reason, message, retryMs);
}
