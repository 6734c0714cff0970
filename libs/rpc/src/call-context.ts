import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from '@leasehold/service';
import type { Identity } from './identity.js';

/** What a handler knows of the call that it serves, besides the request. */
export interface CallContext {
  /** Fires when the caller cancels, the deadline passes or the connection breaks; its reason is a Fault. */
  readonly signal: AbortSignal;
  /** Fires when the server begins to stop: long polls and watches answer what they have, so that the drain does not wait for them. */
  readonly draining: AbortSignal;
  /** What was left until the caller's deadline when the call arrived, in ms; absent when the caller set none. */
  readonly deadlineMs?: number;
  /** What is left until the caller's deadline now, in ms, never negative; Infinity when the caller set none. Pass it on as `timeoutMs`. */
  remainingMs(): number;
  readonly metadata: Metadata;
  /** Address and port of the caller. */
  readonly peer: string;
  /** Who calls: of its certificate, or `local` over plaintext. What it may do is the edge's access table's to say. */
  readonly identity: Identity;
  /** Carries the method. */
  readonly log: Logger;
}
