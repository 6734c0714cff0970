import { createHash, type Hash } from 'node:crypto';
import { readShipment, type Charset, type Shipment } from '@leasehold/shipment-csv';
import { stockRowErrors, type Preview, type RowError, type StockChange } from '@leasehold/stock-ledger';
import { shipmentMismatch, shipmentTooLarge } from '../faults.js';
import { requireSayable } from './import-job.js';
import type { ImportParts } from './parts.js';
import { storedBytes } from './submit-import.js';
import type { Submission } from './submission.js';

/** What an import of a file would do now. */
export interface Report {
  readonly acceptable: boolean;
  /** Undefined when it would be refused. */
  readonly result: Totals | undefined;
  readonly rowErrors: readonly RowError[];
  readonly rowErrorCount: bigint;
  readonly separator: string;
  readonly charset: Charset;
  readonly ignoredColumns: readonly string[];
}

export interface Totals {
  readonly rows: bigint;
  readonly zeroRows: bigint;
  readonly skus: bigint;
  readonly duplicateRows: bigint;
  readonly unitsIn: bigint;
  readonly unitsOut: bigint;
  readonly rejectedRows: bigint;
  readonly warehouses: bigint;
}

const listedErrors = 100;

/** Reads the whole file by the importer's own reader and asks the ledger what applying it now would do. Keeps and applies nothing. */
export async function validateImport(parts: ImportParts, submission: Submission, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Report> {
  const { object, charset, sha256, id, mode, layout } = submission;
  requireSayable(id, submission, parts.contracts);
  const partial = mode === 'partial';
  return parts.validations.run(async () => {
    const hash = createHash('sha256');
    const body = hashed(object === undefined ? chunks : storedBytes(parts, object, signal), hash);
    const shipment = readShipment(body, { charset, layout, partial, signal, limits: parts.limits.shipment });
    const net = await summed(shipment, parts.validations.maxSkus);
    const read = shipment.report();
    // A file that broke the rules is not always read to its end.
    if (sha256.length > 0 && !read.brokenOff && !hash.digest().equals(sha256)) throw shipmentMismatch();
    const found = { separator: read.separator, charset: read.charset, ignoredColumns: read.ignoredColumns };
    if (partial ? read.brokenOff : read.faultCount > 0) return { acceptable: false, result: undefined, rowErrors: read.faults, rowErrorCount: BigInt(read.faultCount), ...found };
    const preview = await parts.ledger.preview(id.namespace, net.values());
    const kept = [...net.values()].filter((change) => !preview.refused.has(change));
    const acceptable = partial ? kept.length > 0 : preview.faultCount === 0n;
    const rowErrors = [...read.faults, ...stockRowErrors(preview.faults)].toSorted((a, b) => a.line - b.line).slice(0, listedErrors);
    return { acceptable, result: acceptable ? totalsOf(read.rows, kept, preview) : undefined, rowErrors, rowErrorCount: BigInt(read.faultCount) + preview.faultCount, ...found };
  }, signal);
}

interface Change extends StockChange {
  readonly warehouse: string;
  setTo: bigint | undefined;
  change: bigint;
  rows: number;
  zeroRows: number;
  unitsIn: bigint;
  unitsOut: bigint;
}

/** What the file comes to for each SKU in each warehouse, by the ledger's rules: rows count from the last that sets on. */
async function summed({ rows }: Shipment, maxSkus: number): Promise<Map<string, Change>> {
  const net = new Map<string, Change>();
  for await (const batch of rows) {
    for (const { line, sku, quantity, warehouse = '', operation = 'adjust' } of batch) {
      const key = warehouse === '' ? sku : `${warehouse}\0${sku}`;
      let known = net.get(key);
      if (known === undefined) net.set(key, known = { line, warehouse, sku, setTo: undefined, change: 0n, rows: 0, zeroRows: 0, unitsIn: 0n, unitsOut: 0n });
      count(known, operation === 'set', quantity);
    }
    if (net.size > maxSkus) throw shipmentTooLarge('chunk', `validate_only looks at files of up to ${maxSkus} different SKUs; an import takes more`);
  }
  return net;
}

function count(known: Change, sets: boolean, quantity: number): void {
  known.rows += 1;
  if (sets) {
    Object.assign(known, { setTo: BigInt(quantity), change: 0n, unitsIn: 0n, unitsOut: 0n });
    return;
  }
  if (quantity === 0) known.zeroRows += 1;
  known.change += BigInt(quantity);
  if (quantity > 0) known.unitsIn += BigInt(quantity);
  else known.unitsOut -= BigInt(quantity);
}

function totalsOf(rows: number, kept: readonly Change[], { setIn, setOut }: Preview<Change>): Totals {
  let [keptRows, zeroRows, unitsIn, unitsOut] = [0, 0, setIn, setOut];
  for (const change of kept) {
    keptRows += change.rows;
    zeroRows += change.zeroRows;
    unitsIn += change.unitsIn;
    unitsOut += change.unitsOut;
  }
  return {
    rows: BigInt(rows), rejectedRows: BigInt(rows - keptRows), zeroRows: BigInt(zeroRows), duplicateRows: BigInt(keptRows - kept.length), unitsIn, unitsOut,
    skus: BigInt(new Set(kept.map(({ sku }) => sku)).size), warehouses: BigInt(new Set(kept.map(({ warehouse }) => warehouse)).size),
  };
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}
