import { status } from '@grpc/grpc-js';
import { Fault, type FieldViolation, type Violation } from './fault.js';

type Metadata = Readonly<Record<string, string>>;

/** The faults that an edge may answer, each with its status code: the one table from what went wrong to gRPC. */
export interface Faults {
  /** The request itself is wrong; repeating it is pointless. */
  readonly invalid: (fieldViolations: readonly FieldViolation[], reason?: string) => Fault;
  readonly notFound: (reason: string, message: string, metadata?: Metadata) => Fault;
  /** Not in this state: something else must change first. */
  readonly failedPrecondition: (reason: string, message: string, o?: { violations?: readonly Violation[]; meta?: Metadata }) => Fault;
  /** Lost against something newer, for example a stale lease: start over from a fresh read. */
  readonly aborted: (reason: string, message: string, metadata?: Metadata) => Fault;
  /** Whoever calls may not do this; nobody looked at whether it would have worked. */
  readonly denied: (reason: string, message: string, metadata?: Metadata) => Fault;
  readonly alreadyExists: (reason: string, message: string, metadata?: Metadata) => Fault;
  /** Overload or a limit: the same call may succeed after `retryDelayMs`. */
  readonly exhausted: (reason: string, message: string, retryDelayMs?: number) => Fault;
  /** A part that this server needs is away. Nothing was done, so that clients may retry. */
  readonly unavailable: (reason: string, message: string, retryDelayMs?: number) => Fault;
  readonly internal: (message: string) => Fault;
  readonly deadline: () => Fault;
  readonly cancelled: () => Fault;
  readonly unimplemented: () => Fault;
}

/** @param domain named in every ErrorInfo, for example `queue.leasehold`. */
export function faults(domain: string): Faults {
  const of = (code: status, reason: string, message: string, more: Partial<ConstructorParameters<typeof Fault>[0]> = {}): Fault =>
    new Fault({ ...more, code, reason, message, domain });
  return {
    invalid: (fieldViolations, reason = 'INVALID_REQUEST') =>
      of(status.INVALID_ARGUMENT, reason, describe(fieldViolations), { fieldViolations }),
    notFound: (reason, message, metadata) => of(status.NOT_FOUND, reason, message, { metadata }),
    failedPrecondition: (reason, message, o = {}) =>
      of(status.FAILED_PRECONDITION, reason, message, { violations: o.violations, metadata: o.meta }),
    aborted: (reason, message, metadata) => of(status.ABORTED, reason, message, { metadata }),
    denied: (reason, message, metadata) => of(status.PERMISSION_DENIED, reason, message, { metadata }),
    alreadyExists: (reason, message, metadata) => of(status.ALREADY_EXISTS, reason, message, { metadata }),
    exhausted: (reason, message, retryDelayMs) => of(status.RESOURCE_EXHAUSTED, reason, message, { retryDelayMs }),
    unavailable: (reason, message, retryDelayMs) => of(status.UNAVAILABLE, reason, message, { retryDelayMs }),
    internal: (message) => of(status.INTERNAL, 'INTERNAL', message),
    deadline: () => of(status.DEADLINE_EXCEEDED, 'DEADLINE_EXCEEDED', 'the deadline passed before the answer was ready'),
    cancelled: () => of(status.CANCELLED, 'CANCELLED', 'the call was cancelled'),
    unimplemented: () => of(status.UNIMPLEMENTED, 'UNIMPLEMENTED', 'this server does not implement the method'),
  };
}

const describe = (violations: readonly FieldViolation[]): string =>
  violations.length === 0 ? 'the request is invalid' : violations.map((v) => `${v.field}: ${v.description}`).join('; ');
