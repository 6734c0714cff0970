import type { StockServiceService } from '@leasehold/ingest-v1';
import type { AccessOf } from '@leasehold/rpc';
import { parseParent } from '../files/resource-name.js';
import { ownerOf } from './owners.js';

/** Who may call what on StockService, over gRPC and over HTTP: clients, in their own namespaces; nobody else. */
export const stockAccess: AccessOf<typeof StockServiceService> = {
  getStock: ({ parent }, { identity }) => ownerOf(identity, parseParent(parent)),
  listStock: ({ parent }, { identity }) => ownerOf(identity, parseParent(parent)),
};
