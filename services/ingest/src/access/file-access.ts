import type { FileServiceService } from '@leasehold/ingest-v1';
import { faults, type AccessOf, type Identity } from '@leasehold/rpc';
import { domain } from '../faults.js';
import { parseFileName, parseParent } from '../files/resource-name.js';

const fault = faults(domain);

/**
 * Who may call what on ingest.v1, over gRPC and over HTTP:
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

function readerOf(identity: Identity, namespace: string | undefined): void {
  if (identity.role !== 'operator') ownerOf(identity, namespace);
}

function ownerOf(identity: Identity, namespace: string | undefined): void {
  if (identity.role !== 'client') throw fault.denied('ROLE_NOT_ALLOWED', `this method is not for the role ${identity.role}`, { identity: identity.id });
  if (namespace === undefined || identity.namespaces.includes(namespace)) return;
  throw fault.denied('NAMESPACE_NOT_OWN', `namespace ${namespace} belongs to others`, { identity: identity.id });
}
