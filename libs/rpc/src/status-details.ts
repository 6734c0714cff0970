import { status } from '@grpc/grpc-js';
import { Any, BadRequest, ErrorInfo, PreconditionFailure, RetryInfo, Status } from '@leasehold/google-rpc';
import { durationOfMs, msOfDuration } from './duration.js';
import type { Fault, FaultInit } from './fault.js';

/** The trailer that carries google.rpc.Status, by convention of every gRPC implementation. */
export const DETAILS_TRAILER = 'grpc-status-details-bin';

/** Peers commonly refuse trailers beyond 8 KiB, and then the caller learns nothing at all. Base64 makes a third more of these. */
const MAX_DETAILS_BYTES = 4 * 1024;
const MAX_MESSAGE_LENGTH = 512;

interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
}

const pack = <T>(name: string, codec: Codec<T>, message: T): Any =>
  Any.create({ typeUrl: `type.googleapis.com/google.rpc.${name}`, value: Buffer.from(codec.encode(message).finish()) });

/** The parts of a Fault that go into google.rpc.Status. */
type Details = Pick<Fault, 'code' | 'reason' | 'domain' | 'message' | 'metadata' | 'retryDelayMs' | 'violations' | 'fieldViolations'>;

/**
 * google.rpc.Status with exactly one ErrorInfo, and RetryInfo, PreconditionFailure and BadRequest where the fault has them. Lists of
 * violations are cut to fit a trailer; the last entry then says so.
 */
export function encodeDetails(fault: Details): Buffer {
  for (let keep = Math.max(fault.violations?.length ?? 0, fault.fieldViolations?.length ?? 0); ; keep = Math.floor(keep / 2)) {
    const bytes = Status.encode(statusOf(fault, keep)).finish();
    if (bytes.length <= MAX_DETAILS_BYTES || keep === 0) return Buffer.from(bytes);
  }
}

function statusOf(fault: Details, keep: number): Status {
  const { reason, domain, metadata, retryDelayMs, violations, fieldViolations } = fault;
  const details = [pack('ErrorInfo', ErrorInfo, ErrorInfo.create({ reason, domain, metadata: { ...metadata } }))];
  if (retryDelayMs !== undefined) details.push(pack('RetryInfo', RetryInfo, RetryInfo.create({ retryDelay: durationOfMs(retryDelayMs) })));
  if (violations !== undefined) {
    const cut = cutTo(keep, violations, (description) => ({ type: 'MORE', subject: '', description }));
    details.push(pack('PreconditionFailure', PreconditionFailure, PreconditionFailure.create({ violations: cut })));
  }
  if (fieldViolations !== undefined) {
    const cut = cutTo(keep, fieldViolations, (description) => ({ field: '', description }));
    details.push(pack('BadRequest', BadRequest, BadRequest.create({ fieldViolations: cut })));
  }
  return Status.create({ code: fault.code, message: messageOf(fault), details });
}

const cutTo = <T>(keep: number, all: readonly T[], rest: (description: string) => T): T[] =>
  all.length <= keep ? [...all] : [...all.slice(0, keep), rest(`and ${all.length - keep} more`)];

/** The message as it may go to the wire: bounded, and without the lone surrogates that grpc-js cannot escape. */
export function messageOf(fault: Pick<Fault, 'message'>): string {
  const text = fault.message.length > MAX_MESSAGE_LENGTH ? `${fault.message.slice(0, MAX_MESSAGE_LENGTH)}…` : fault.message;
  return Buffer.from(text, 'utf8').toString('utf8');
}

/** What the trailer says, or undefined where it says nothing that can be read: it comes from whoever answered, also from proxies. */
export function decodeDetails(bytes: Buffer): Omit<FaultInit, 'code'> | undefined {
  try {
    const decoded = Status.decode(bytes);
    const find = <T>(name: string, decode: (value: Uint8Array) => T): T | undefined => {
      const any = decoded.details.find((detail) => detail.typeUrl.endsWith(`/google.rpc.${name}`));
      return any === undefined ? undefined : decode(any.value);
    };
    const info = find('ErrorInfo', (value) => ErrorInfo.decode(value));
    if (info === undefined) return undefined;
    const retry = find('RetryInfo', (value) => RetryInfo.decode(value));
    return {
      reason: info.reason,
      domain: info.domain,
      metadata: info.metadata,
      message: decoded.message,
      retryDelayMs: retry === undefined ? undefined : msOfDuration(retry.retryDelay),
      violations: find('PreconditionFailure', (value) => PreconditionFailure.decode(value))?.violations,
      fieldViolations: find('BadRequest', (value) => BadRequest.decode(value))?.fieldViolations,
    };
  } catch {
    return undefined;
  }
}

/** The name of a status code, such as `NOT_FOUND`. */
export const codeName = (code: status): string => status[code] ?? 'UNKNOWN';
