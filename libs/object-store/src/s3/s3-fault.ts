import { S3ServiceException } from '@aws-sdk/client-s3';
import { StoreFault, type StoreFaultKind } from '../store-fault.js';

/**
 * What the store's error codes mean at the port. Every other code, and every failure of the network, is `unavailable`: so are refused keys, a bucket that does
 * not exist, a full quota and clocks too far apart, which somebody must put right before a repeat can help.
 */
const kinds: Readonly<Record<string, StoreFaultKind>> = {
  NoSuchKey: 'not_found',
  NoSuchVersion: 'not_found',
  // The answer to reading the version of a delete marker.
  MethodNotAllowed: 'not_found',
  EntityTooLarge: 'too_large',
  KeyTooLongError: 'invalid',
  InvalidURI: 'invalid',
  NotImplemented: 'unsupported',
};

/** What a caller of the store sees of an error. The message names the operation, the code and the status, nothing else that the store or the SDK wrote. */
export function asStoreFault(operation: string, error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  const code = codeOf(error);
  const status = statusOf(error);
  return new StoreFault(kinds[code] ?? 'unavailable', `${operation}: ${code}${status === undefined ? '' : ` (HTTP ${status})`}`, { cause: error });
}

/** The store's code for what went wrong, else the system's, else the error's name. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const system = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const code = error instanceof S3ServiceException ? error.name : system ?? error.name;
  return /^[\w.]{1,64}$/.test(code) ? code : 'unknown';
}

export const statusOf = (error: unknown): number | undefined => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined);
