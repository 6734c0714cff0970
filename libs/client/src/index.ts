export { FilesClient, type CreateFileOptions, type DownloadOptions, type FilesClientOptions } from './files-client.js';
export { ImportsClient, type ImportsClientOptions, type SubmitOptions } from './imports-client.js';
export type { ShipmentSource } from './shipment-source.js';
export type { IngestClientOptions } from './connection.js';
export { fileId, fileName, importName, namespaceName } from './names.js';
export { isFault, type IngestReason } from './ingest-reason.js';
export { Fault } from '@leasehold/rpc';
export { isFinal } from './watch-file.js';
export { isEnded } from './watch-import.js';
export { ImportLayout, ImportMode, ImportRejectionReason, ImportState, type Catalogue, type Import, type ImportReport, type RowError, type StockItem } from '@leasehold/ingest-v1';
export {
  AnimationPolicy, FileState, RejectionReason, RenditionFit, RenditionFormat, type File, type Rendition, type RenditionOptions, type RenditionSpec, type UploadFileResponse,
} from '@leasehold/ingest-v1';
