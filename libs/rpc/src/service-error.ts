import { Metadata, status, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { Fault, type FaultInit } from './fault.js';
import { codeName, decodeDetails, DETAILS_TRAILER, encodeDetails, messageOf } from './status-details.js';

/** The domain of what no peer said in so many words: a broken connection, a deadline judged here, a proxy's answer. */
export const TRANSPORT = 'transport';

/**
 * What goes to the caller for anything that a handler threw. A Fault keeps its code, reason and details. Anything else becomes
 * INTERNAL / INTERNAL without its text, which may hold paths, statements or secrets: log it before.
 * @param domain the edge that answers.
 */
export function toServiceError(error: unknown, domain: string): ServiceError {
  const fault = error instanceof Fault ? spokenBy(error, domain) : internal(domain);
  const metadata = new Metadata();
  metadata.set(DETAILS_TRAILER, encodeDetails(fault));
  const details = messageOf(fault);
  return Object.assign(new Error(details), { code: fault.code, details, metadata });
}

const internal = (domain: string): Fault =>
  new Fault({ code: status.INTERNAL, reason: 'INTERNAL', domain, message: 'an internal error; the server has logged it' });

/** A fault of the transport between this server and another one is this edge's own to its callers. UNKNOWN never leaves a server. */
function spokenBy(fault: Fault, domain: string): Fault {
  const known = fault.code !== status.OK && fault.code !== status.UNKNOWN && status[fault.code] !== undefined;
  if (known && fault.domain !== TRANSPORT) return fault;
  if (!known) return internal(domain);
  return new Fault({ ...initOf(fault), domain });
}

const initOf = (fault: Fault): FaultInit => ({
  code: fault.code,
  reason: fault.reason,
  domain: fault.domain,
  message: fault.message,
  metadata: fault.metadata,
  retryDelayMs: fault.retryDelayMs,
  violations: fault.violations,
  fieldViolations: fault.fieldViolations,
});

/** What grpc-js says of a message beyond `maxReceiveBytes`, on either side. */
export const isTooLarge = (answer: Pick<StatusObject, 'code' | 'details'>): boolean =>
  answer.code === status.RESOURCE_EXHAUSTED && /^Received message (larger than max|that decompresses to)/.test(answer.details);

/** The fault in an error of a grpc-js call. Without readable details the reason is the status's name and the domain `transport`. */
export function fromServiceError(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (!isServiceError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    if (message === 'Channel has been shut down') {
      return new Fault({ code: status.UNAVAILABLE, reason: 'CHANNEL_CLOSED', domain: TRANSPORT, message: 'the client was closed', cause: error });
    }
    return new Fault({ code: status.INTERNAL, reason: 'INTERNAL', domain: TRANSPORT, message, cause: error });
  }
  const trailer = error.metadata.get(DETAILS_TRAILER)[0];
  const said = trailer instanceof Buffer ? decodeDetails(trailer) : undefined;
  if (said !== undefined) return new Fault({ ...said, code: error.code });
  return new Fault({
    code: error.code,
    reason: isTooLarge(error) ? 'MESSAGE_TOO_LARGE' : codeName(error.code),
    domain: TRANSPORT,
    message: error.details,
    cause: error,
  });
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && 'metadata' in error && error.metadata instanceof Metadata;
