import { Fault } from '@leasehold/rpc';

/** The reasons that ingest.v1 documents, by which a program may decide. */
export type IngestReason =
  | 'INVALID_REQUEST'
  | 'FILE_EXISTS'
  | 'FILE_NOT_FOUND'
  | 'VERSION_NOT_FOUND'
  | 'FILE_NOT_PENDING'
  | 'FILE_NOT_READY'
  | 'FILE_NOT_REJECTED'
  | 'RENDITION_NOT_FOUND'
  | 'OPTIONS_NOT_OPEN'
  | 'FILE_EMPTY'
  | 'FILE_TOO_LARGE'
  | 'UPLOAD_TOO_LARGE'
  | 'SIZE_MISMATCH'
  | 'CHECKSUM_MISMATCH'
  | 'VERSION_CONFLICT'
  | 'ETAG_MISMATCH'
  | 'IMPORT_NOT_FOUND'
  | 'OBJECT_NOT_FOUND'
  | 'IMPORT_EXISTS'
  | 'IMPORT_ENDED'
  | 'IMPORT_NOT_REJECTED'
  | 'SOURCE_GONE'
  | 'SHIPMENT_TOO_LARGE'
  | 'NAMESPACE_FULL'
  | 'NAMESPACE_NOT_OWN'
  | 'ROLE_NOT_ALLOWED'
  | 'IDENTITY_MISSING'
  | 'CERTIFICATE_EXPIRED'
  | 'CALLER_CALLS'
  | 'CALLER_STREAMS'
  | 'CALLER_RATE'
  | 'TOO_MANY_CALLS';

/** Whether the error is ingest's answer with this reason. */
export const isFault = (error: unknown, reason: IngestReason): error is Fault => error instanceof Fault && error.domain === 'ingest.leasehold' && error.reason === reason;
