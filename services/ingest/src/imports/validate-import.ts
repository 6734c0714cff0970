import { createHash, type Hash } from 'node:crypto';
import { readShipment, type Charset, type Shipment } from '@leasehold/shipment-csv';
import { stockRowErrors, type RowError, type StockChange } from '@leasehold/stock-ledger';
import { shipmentMismatch, shipmentTooLarge } from '../faults.js';
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
}

/** Reads the whole file by the importer's own reader and asks the ledger what applying it now would do. Keeps and applies nothing. */
export async function validateImport(parts: ImportParts, submission: Submission, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Report> {
  const { object, charset, sha256, id } = submission;
  return parts.validations.run(async () => {
    const hash = createHash('sha256');
    const body = hashed(object === undefined ? chunks : storedBytes(parts, object, signal), hash);
    const shipment = readShipment(body, { charset, signal, limits: parts.limits.shipment });
    const { net, totals } = await summed(shipment, parts.validations.maxSkus);
    const read = shipment.report();
    // A file that broke the rules is not always read to its end.
    if (sha256.length > 0 && read.faultCount === 0 && !hash.digest().equals(sha256)) throw shipmentMismatch();
    const found = { separator: read.separator, charset: read.charset, ignoredColumns: read.ignoredColumns };
    if (read.faultCount > 0) return { acceptable: false, result: undefined, rowErrors: read.faults, rowErrorCount: BigInt(read.faultCount), ...found };
    const { faults, faultCount } = await parts.ledger.preview(id.namespace, net.values());
    const acceptable = faultCount === 0n;
    const result = { ...totals, rows: BigInt(read.rows), zeroRows: BigInt(read.zeroRows) };
    return { acceptable, result: acceptable ? result : undefined, rowErrors: stockRowErrors(faults), rowErrorCount: faultCount, ...found };
  }, signal);
}

interface Change extends StockChange {
  change: bigint;
}

/** What the file comes to for each SKU, and in all. */
async function summed({ rows }: Shipment, maxSkus: number): Promise<{ net: Map<string, Change>; totals: Omit<Totals, 'rows' | 'zeroRows'> }> {
  const net = new Map<string, Change>();
  let [count, unitsIn, unitsOut] = [0n, 0n, 0n];
  for await (const batch of rows) {
    for (const { line, sku, quantity } of batch) {
      const change = BigInt(quantity);
      if (change > 0n) unitsIn += change;
      else unitsOut -= change;
      const known = net.get(sku);
      if (known === undefined) net.set(sku, { line, sku, change });
      else known.change += change;
    }
    count += BigInt(batch.length);
    if (net.size > maxSkus) throw shipmentTooLarge('chunk', `validate_only looks at files of up to ${maxSkus} different SKUs; an import takes more`);
  }
  const skus = BigInt(net.size);
  return { net, totals: { skus, duplicateRows: count - skus, unitsIn, unitsOut } };
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}
