import { faults, type Fault } from '@leasehold/rpc';

export type { Fault };

/** Named in every ErrorInfo of this edge. */
export const domain = 'ingest.leasehold';
const of = faults(domain);

// The closed set of what ingest.v1 answers besides success; the .proto of each service says which RPC answers which.
const precondition = (reason: string, name: string, message: string): Fault =>
  of.failedPrecondition(reason, message, { violations: [{ type: reason, subject: name, description: message }], meta: { name } });

export const invalid = (field: string, description: string, reason?: string): Fault => of.invalid([{ field, description }], reason);
export const invalidFields = (violations: { field: string; description: string }[]): Fault => of.invalid(violations);

export const fileNotFound = (name: string): Fault => of.notFound('FILE_NOT_FOUND', `there is no ${name}`, { name });
export const versionNotFound = (name: string): Fault => of.notFound('VERSION_NOT_FOUND', `no such version was uploaded for ${name}`, { name });
export const renditionNotFound = (name: string, rendition: string): Fault => of.notFound('RENDITION_NOT_FOUND', `${name} has no rendition of the name ${JSON.stringify(rendition)}`, { name, rendition });
export const fileExists = (name: string, why: string): Fault => of.alreadyExists('FILE_EXISTS', `${name} ${why}`, { name });

export const fileNotPending = (name: string, state: string): Fault => precondition('FILE_NOT_PENDING', name, `${name} is ${state}, and takes bytes and a confirmation only while PENDING`);
export const fileNotReady = (name: string, state: string): Fault => precondition('FILE_NOT_READY', name, `${name} is ${state}; there is a rendition only when it is READY`);
export const fileNotRejected = (name: string, state: string): Fault => precondition('FILE_NOT_REJECTED', name, `${name} is ${state}; only a REJECTED file can be retried`);
export const sizeMismatch = (name: string): Fault => precondition('SIZE_MISMATCH', name, 'the uploaded version has another size than the one given');
export const checksumMismatch = (name: string): Fault => precondition('CHECKSUM_MISMATCH', name, 'the uploaded version has another SHA-256 than the one given');
export const fileEmpty = (name: string): Fault => precondition('FILE_EMPTY', name, 'the uploaded version has no bytes');
export const fileTooLarge = (name: string, maxBytes: number): Fault => precondition('FILE_TOO_LARGE', name, `the uploaded version has more than ${maxBytes} bytes`);

export const picturesNotOpen = (name: string): Fault =>
  precondition('OPTIONS_NOT_OPEN', name, `${name}: several renditions, other formats, a placeholder and a policy for animation need image@2, which is not OPEN: ask for one WebP by options, or have the operators open it (leasehold gate open image@2)`);
export const shipmentNotOpen = (name: string): Fault =>
  precondition('OPTIONS_NOT_OPEN', name, `${name}: the mode PARTIAL and the layout WAREHOUSES need import@2, which is not OPEN: submit without them, or have the operators open it (leasehold gate open import@2)`);

export const versionConflict = (name: string): Fault => of.aborted('VERSION_CONFLICT', `another version of ${name} was confirmed`, { name });
export const etagMismatch = (name: string): Fault => of.aborted('ETAG_MISMATCH', `${name} has changed since that etag; read it again`, { name });

export const uploadTooLarge = (maxBytes: number): Fault => invalid('chunk', `an upload has at most ${maxBytes} bytes`, 'UPLOAD_TOO_LARGE');
export const uploadTooSlow = (): Fault => of.deadline();

export const importNotFound = (name: string): Fault => of.notFound('IMPORT_NOT_FOUND', `there is no ${name}`, { name });
export const objectNotFound = (key: string): Fault => of.notFound('OBJECT_NOT_FOUND', 'there is no such version of that object', { key });
export const importExists = (name: string, digest: string, existingDigest: string, state: string): Fault =>
  of.alreadyExists('IMPORT_EXISTS', `${name} is ${state} with other content: ${existingDigest}, not ${digest}. Submit other content under an id of its own`, { name, digest, existing_digest: existingDigest });
export const importEnded = (name: string, state: string): Fault => precondition('IMPORT_ENDED', name, `${name} is ${state}; only an ACCEPTED import can be cancelled`);
export const importNotRejected = (name: string, state: string): Fault => precondition('IMPORT_NOT_REJECTED', name, `${name} is ${state}; only a REJECTED import can be retried`);
export const sourceGone = (name: string): Fault => precondition('SOURCE_GONE', name, `the file of ${name} is no longer kept; submit it again under the same id`);
export const shipmentTooLarge = (field: string, what: string): Fault => invalid(field, what, 'SHIPMENT_TOO_LARGE');
export const shipmentMismatch = (): Fault => invalid('sha256', 'is not that of the bytes that came', 'CHECKSUM_MISMATCH');

export const databaseUnavailable = (): Fault => of.unavailable('DATABASE_UNAVAILABLE', 'the records are out of reach for a moment', 1_000);
export const storeUnavailable = (): Fault => of.unavailable('STORE_UNAVAILABLE', 'the object store is out of reach for a moment', 1_000);
export const namespaceFull = (namespace: string, max: number, what: string, retryDelayMs: number): Fault =>
  of.exhausted('NAMESPACE_FULL', `namespace ${namespace} has ${max} ${what} in the queue, as many as it may: wait until some are done`, retryDelayMs);
export const internal = (message: string): Fault => of.internal(message);
