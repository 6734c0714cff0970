import type { Charset, Layout } from '@leasehold/shipment-csv';
import type { ImportMode, ImportResult } from '@leasehold/stock-ledger';
import type { SourceVersion } from '@leasehold/worker-runtime';

/** A source whose digest is known, as every submitted one is. */
export type ShipmentSource = SourceVersion & { readonly sha256: Buffer };

/** What a job asks for: the newest model of the kind `import`, whatever version of the contract it came in. */
export interface ImportOrder {
  readonly importId: string;
  /** Which submission or retry of the batch, from 1. */
  readonly generation: number;
  readonly source: ShipmentSource;
  /** As the caller declared it; undefined: the file says. */
  readonly charset: Charset | undefined;
  /** What becomes of the good rows when some are bad. */
  readonly mode: ImportMode;
  /** Which columns are read. */
  readonly layout: Layout;
}

/** What a job has done: the ledger's own record of it. */
export type ImportDone = ImportResult;
