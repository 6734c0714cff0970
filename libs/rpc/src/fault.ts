import { status } from '@grpc/grpc-js';

/** One unmet condition of a FAILED_PRECONDITION (google.rpc.PreconditionFailure.Violation). */
export interface Violation {
  type: string;
  subject: string;
  description: string;
}

/** One wrong field of an INVALID_ARGUMENT (google.rpc.BadRequest.FieldViolation); `field` is a path such as `jobs[3].name`. */
export interface FieldViolation {
  field: string;
  description: string;
}

export interface FaultInit {
  code: status;
  /** UPPER_SNAKE, one word of the edge's closed list. */
  reason: string;
  /** The edge that speaks, for example `queue.leasehold`; `transport` where no peer named one. */
  domain: string;
  /** Reaches the caller: never a secret, a path or an exception's text. */
  message: string;
  metadata?: Readonly<Record<string, string>> | undefined;
  /** At least this long before the same call can succeed, in ms. */
  retryDelayMs?: number | undefined;
  violations?: readonly Violation[] | undefined;
  fieldViolations?: readonly FieldViolation[] | undefined;
  cause?: unknown;
}

/**
 * An answer that is no success, as both sides of an edge see it. A handler throws one to refuse; a client throws one for whatever
 * came back. The server does not log it as an error: it is part of the edge's contract.
 */
export class Fault extends Error {
  readonly code: status;
  readonly reason: string;
  readonly domain: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryDelayMs?: number;
  readonly violations?: readonly Violation[];
  readonly fieldViolations?: readonly FieldViolation[];

  constructor(init: FaultInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'Fault';
    this.code = init.code;
    this.reason = init.reason;
    this.domain = init.domain;
    this.metadata = init.metadata ?? {};
    if (init.retryDelayMs !== undefined) this.retryDelayMs = init.retryDelayMs;
    if (init.violations !== undefined) this.violations = init.violations;
    if (init.fieldViolations !== undefined) this.fieldViolations = init.fieldViolations;
  }
}
