import { fenceOf, type Fence } from '../lease/fence.js';
import type { GrantedLease } from '../lease/granted-lease.js';
import type { HeldLease, Progress } from '../lease/lease-book.js';
import type { TrustWindow } from '../lease/trust-window.js';

export const fence = (value: number): Fence => fenceOf(BigInt(value));

export const lease = (of: number, more: Partial<GrantedLease> = {}): GrantedLease => ({
  namespace: 'default',
  kind: 'image',
  jobId: `job-${of}`,
  enqueueId: BigInt(of),
  contractVersion: 1,
  payload: Buffer.from('payload'),
  fence: fence(of),
  token: Buffer.from(`token-${of}`),
  attempt: 1,
  maxAttempts: 3,
  ...more,
});

/** Trusted until `endsAtMs`, due for renewal at a third of `ttlMs`. */
export const trust = (endsAtMs: number, ttlMs = 1200): TrustWindow => ({ endsAtMs, ttlMs, renewAtMs: endsAtMs - (ttlMs * 2) / 3 });

export const held = (of: number, more: Partial<HeldLease> = {}): HeldLease => ({
  lease: lease(of),
  runEndsAtMs: 10_000,
  phase: 'running',
  trust: trust(1000),
  untrusted: false,
  unsentProgress: undefined,
  ...more,
});

export const progress = (percent: number): Progress => ({ percent, stage: 'decoding', items: 0n, bytes: 0n, bytesTotal: 0n });
