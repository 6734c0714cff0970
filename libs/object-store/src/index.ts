export type {
  Abortable, ClockSkew, DeleteMarker, DownloadGrantOptions, GetOptions, ListedVersion, ObjectStore, ObjectVersion, PutOptions, SignedRequest, StoredVersion,
  UploadGrantOptions,
} from './object-store.js';
export { StoreFault, type StoreFaultKind } from './store-fault.js';
export { openEmbeddedStore, type EmbeddedStore, type EmbeddedStoreOptions } from './embedded/embedded-store.js';
export {
  verifySignedRequest, type DownloadGrant, type Grant, type GrantRefusal, type Signing, type UploadGrant, type VerifiedRequest,
} from './embedded/signed-request.js';
export { openS3Store, type S3Store } from './s3/s3-store.js';
export { type S3StoreOptions } from './s3/bucket-calls.js';
export { openStore, type OpenedStore } from './open-store.js';
export { storeForms, storeSettings, type StoreProblem, type StoreSettings, type StoreVariables } from './store-settings.js';
export { readingFault, type ReadingFault } from './reading-fault.js';
export { versionedStore, type VersionedStore } from './versioned-store.js';
