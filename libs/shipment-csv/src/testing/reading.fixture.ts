import { type ReadOptions, type ReadTuning, readShipmentTuned } from '../read-shipment.js';
import type { ShipmentReport, ShipmentRow } from '../shipment.js';
import { defaultLimits } from '../shipment-limits.js';

export interface Reading {
  readonly rows: readonly ShipmentRow[];
  readonly report: ShipmentReport;
}

export type ReadingOptions = Partial<ReadOptions> & Partial<ReadTuning>;

const withDefaults = (options: ReadingOptions): [ReadOptions, ReadTuning] => [
  { limits: defaultLimits, ...options },
  { blockBytes: options.blockBytes ?? 64 * 1024, plainAheadBytes: options.plainAheadBytes ?? 1024 },
];

/** Reads a whole file, given as text, bytes or chunks. */
export async function readAll(file: string | Uint8Array | readonly Uint8Array[], options: ReadingOptions = {}): Promise<Reading> {
  const shipment = readShipmentTuned(bodyOf(file), ...withDefaults(options));
  const rows: ShipmentRow[] = [];
  for await (const batch of shipment.rows) rows.push(...batch);
  return { rows, report: shipment.report() };
}

/** The same through `copyText`. */
export async function copyAll(file: string | Uint8Array | readonly Uint8Array[], options: ReadingOptions = {}): Promise<{ text: string; report: ShipmentReport }> {
  const shipment = readShipmentTuned(bodyOf(file), ...withDefaults(options));
  const buffers: Buffer[] = [];
  for await (const buffer of shipment.copyText) buffers.push(buffer);
  return { text: Buffer.concat(buffers).toString(), report: shipment.report() };
}

/** What COPY should be told of rows. */
export const asCopyText = (rows: readonly ShipmentRow[]): string => rows.map(({ line, sku, quantity }) => `${line}\t${sku.replaceAll('\\', '\\\\')}\t${quantity}\n`).join('');

/** Code, line and column of each fault, for short expectations. */
export const verdicts = ({ report }: { report: ShipmentReport }): string[] => report.faults.map(({ code, line, column }) => `${code} ${line} ${column}`.trim());

export async function* bodyOf(file: string | Uint8Array | readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  if (typeof file === 'string') yield Buffer.from(file);
  else if (file instanceof Uint8Array) yield file;
  else yield* file;
}
