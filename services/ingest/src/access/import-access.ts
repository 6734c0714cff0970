import type { ImportServiceService } from '@leasehold/ingest-v1';
import type { AccessOf } from '@leasehold/rpc';
import { parseParent } from '../files/resource-name.js';
import { parseImportName } from '../imports/resource-name.js';
import { ownerOf, readerOf } from './owners.js';

/**
 * Who may call what on ImportService, over gRPC and over HTTP:
 *
 *   client     everything, in its own namespaces; an object that a submission names must lie under the same namespace
 *   operator   looks at every import and why it was refused (GetImport, ListImports, ListImportRowErrors, WatchImport); changes nothing
 *   ingest, worker, coordinator   nothing
 */
export const importAccess: AccessOf<typeof ImportServiceService> = {
  submitImport: ({ part }, { identity }) => ownerOf(identity, part?.$case === 'spec' ? parseParent(part.value.parent) : undefined),
  getImport: ({ name }, { identity }) => readerOf(identity, namespaceOf(name)),
  listImports: ({ parent }, { identity }) => readerOf(identity, parseParent(parent)),
  listImportRowErrors: ({ parent }, { identity }) => readerOf(identity, namespaceOf(parent)),
  watchImport: ({ name }, { identity }) => readerOf(identity, namespaceOf(name)),
  cancelImport: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
  retryImport: ({ name }, { identity }) => ownerOf(identity, namespaceOf(name)),
};

const namespaceOf = (name: string): string | undefined => parseImportName(name)?.namespace;
