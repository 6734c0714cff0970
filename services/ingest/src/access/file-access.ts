import type { FileServiceService } from '@leasehold/ingest-v1';
import type { AccessOf } from '@leasehold/rpc';
import { parseFileName, parseParent } from '../files/resource-name.js';
import { ownerOf, readerOf } from './owners.js';

/**
 * Who may call what on FileService, over gRPC and over HTTP:
 *
 *   client     everything, in its own namespaces
 *   operator   looks at every card (GetFile, ListFiles, WatchFile), never at a picture; changes nothing
 *   ingest, worker, coordinator   nothing
 *
 * Signed URLs are not asked: they say themselves what they are for. What is no name is left to the method, which refuses it.
 */
export const fileAccess: AccessOf<typeof FileServiceService> = {
  createFile: ({ parent }, { identity }) => ownerOf(identity, parseParent(parent)),
  uploadFile: ({ part }, { identity }) => ownerOf(identity, part?.$case === 'name' ? namespaceOf(part.value) : undefined),
  confirmFile: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
  getFile: ({ name }, { identity }) => readerOf(identity, namespaceOf(name)),
  listFiles: ({ parent }, { identity }) => readerOf(identity, parseParent(parent)),
  watchFile: ({ name }, { identity }) => readerOf(identity, namespaceOf(name)),
  downloadFile: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
  getDownloadUrl: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
  retryFile: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
  deleteFile: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
};

const namespaceOf = (name: string): string | undefined => parseFileName(name)?.namespace;
