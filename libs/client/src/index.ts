export { FilesClient, type CreateFileOptions, type FilesClientOptions } from './files-client.js';
export { fileId, fileName, namespaceName } from './names.js';
export { isFault, type IngestReason } from './ingest-reason.js';
export { Fault } from '@leasehold/rpc';
export { isFinal } from './watch.js';
export { FileState, RejectionReason, type File, type Rendition, type RenditionOptions, type UploadFileResponse } from '@leasehold/ingest-v1';
