import type { ObjectStore } from '@leasehold/object-store';
import type { Clock } from '@leasehold/service';
import type { ShipmentLimits } from '@leasehold/shipment-csv';
import type { ImportRun, Ledger } from '@leasehold/stock-ledger';
import type { Figures } from '../figures.js';
import type { DeadBuffers } from '../memory/dead-buffers.js';

/** One run's rows on their way into the stock, on a connection of its own. */
export type StagedRows = Pick<ImportRun, 'copyText' | 'apply' | 'close'>;

/** What a run asks of the ledger. */
export interface RunLedger extends Pick<Ledger, 'begin' | 'reject'> {
  openRun(...asked: Parameters<Ledger['openRun']>): Promise<StagedRows>;
}

/** What runs are made with. */
export interface ImportParts {
  readonly store: ObjectStore;
  readonly ledger: RunLedger;
  readonly limits: ShipmentLimits;
  /** Longest wait for the store's next bytes, in ms. */
  readonly storeTimeoutMs: number;
  readonly clock: Clock;
  readonly figures: Figures;
  readonly buffers: DeadBuffers;
}
