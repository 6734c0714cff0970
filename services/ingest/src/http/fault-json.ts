import { Fault, status, toServiceError, fromServiceError } from '@leasehold/rpc';
import { domain } from '../faults.js';

// google/rpc/code.proto says which HTTP status stands for which code.
const httpStatus: Partial<Record<status, number>> = {
  [status.INVALID_ARGUMENT]: 400,
  [status.FAILED_PRECONDITION]: 400,
  [status.OUT_OF_RANGE]: 400,
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.NOT_FOUND]: 404,
  [status.ALREADY_EXISTS]: 409,
  [status.ABORTED]: 409,
  [status.RESOURCE_EXHAUSTED]: 429,
  [status.CANCELLED]: 499,
  [status.UNIMPLEMENTED]: 501,
  [status.UNAVAILABLE]: 503,
  [status.DEADLINE_EXCEEDED]: 504,
};

export interface FaultAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: Readonly<Record<string, unknown>> };
}

/** The same fault as over gRPC, as JSON. What is no Fault becomes INTERNAL without its text. */
export function faultAnswer(error: unknown): FaultAnswer {
  const fault = fromServiceError(toServiceError(error, domain));
  const code = httpStatus[fault.code] ?? 500;
  const { retryDelayMs } = fault;
  return {
    code,
    headers: retryDelayMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryDelayMs / 1000)) },
    body: {
      error: {
        code,
        status: status[fault.code],
        message: fault.message,
        reason: fault.reason,
        domain: fault.domain,
        metadata: fault.metadata,
        ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
        ...(fault.violations === undefined ? {} : { violations: fault.violations }),
        ...(fault.fieldViolations === undefined ? {} : { fieldViolations: fault.fieldViolations }),
      },
    },
  };
}

/** Whether the fault is worth a line in the log: those that nobody meant to answer. */
export const isUnmeant = (error: unknown): boolean => !(error instanceof Fault);
