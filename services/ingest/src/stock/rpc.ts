import { StockServiceService } from '@leasehold/ingest-v1';
import { service, type ServiceBinding } from '@leasehold/rpc';
import { stockAccess } from '../access/stock-access.js';
import { domain } from '../faults.js';
import { answering } from '../files/dependency-faults.js';
import { getStock, listStock, type StockParts } from './read-stock.js';

/** leasehold.ingest.v1.StockService: messages to calls and back, nothing else. */
export const stockService = (parts: StockParts): ServiceBinding =>
  service(
    StockServiceService,
    {
      getStock: (request) => answering(() => getStock(parts, request)),
      listStock: (request) => answering(() => listStock(parts, request)),
    },
    { domain, access: stockAccess },
  );
