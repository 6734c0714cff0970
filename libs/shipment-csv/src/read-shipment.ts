import { CopyText } from './rows/copy-text.js';
import { RowBatch } from './rows/row-batch.js';
import type { RowSink } from './rows/row-sink.js';
import type { Charset, Layout, Shipment, ShipmentReport } from './shipment.js';
import type { ShipmentLimits } from './shipment-limits.js';
import { ShipmentReader } from './shipment-reader.js';
import { textPieces } from './text/text-pieces.js';

export interface ReadOptions {
  /** As the caller declared it; undefined: UTF-8, or UTF-16 where the file begins with its mark. */
  readonly charset?: Charset | undefined;
  /** Which columns are read; SINGLE where it is left out. */
  readonly layout?: Layout | undefined;
  /** A row with a fault of its own does not end the handing out: good rows after it come too. What ends the reading ends it in this mode as well. */
  readonly partial?: boolean | undefined;
  readonly limits: ShipmentLimits;
  /** Aborted: reading throws its reason at the body's next chunk. A body that hangs must end by the same signal. */
  readonly signal?: AbortSignal | undefined;
  /** Called between batches, a few times per MiB: rows and bytes read so far. */
  readonly onProgress?: ((progress: { rows: number; bytes: number }) => void) | undefined;
}

/** How the work is cut; nothing that is read depends on it. */
export interface ReadTuning {
  /** Bytes that are read at a time, at least 4. */
  readonly blockBytes: number;
  /** How far no quote may be in sight for lines to be read past the parser; Infinity: the parser reads every row. */
  readonly plainAheadBytes: number;
}

/** A call of the parser costs as much as about ten of its rows: closer quotes than this are left to one call. */
const usual: ReadTuning = { blockBytes: 64 * 1024, plainAheadBytes: 1024 };

/**
 * Reads a shipment file by the contract in this project's README, in memory bounded by the limits on a field, not by the file. Nothing is read before
 * `rows` or `copyText` is iterated. What is wrong with the file is in the report; what the body throws passes through as it is.
 */
export function readShipment(body: AsyncIterable<Uint8Array>, options: ReadOptions): Shipment {
  return readShipmentTuned(body, options, usual);
}

export function readShipmentTuned(body: AsyncIterable<Uint8Array>, options: ReadOptions, tuning: ReadTuning): Shipment {
  const { layout = 'single', partial = false } = options;
  let begun = false;
  let ended: ShipmentReport | undefined;
  async function* read<Batch>(sink: RowSink<Batch>): AsyncGenerator<Batch> {
    if (begun) throw new Error('a shipment is read once: iterate rows or copyText, not both');
    begun = true;
    const reader = new ShipmentReader({ limits: options.limits, layout, sink, plainAheadBytes: tuning.plainAheadBytes });
    for await (const piece of textPieces(body, { charset: options.charset, blockBytes: tuning.blockBytes, maxBytes: options.limits.maxBytes, signal: options.signal })) {
      reader.take(piece);
      const batch = sink.take();
      if (batch !== undefined && !(partial ? reader.fatal : reader.faulty)) yield batch;
      options.onProgress?.({ rows: reader.rowsRead, bytes: piece.bytesRead });
      if (reader.fatal) break;
    }
    ended = reader.report();
  }
  return {
    rows: { [Symbol.asyncIterator]: () => read(new RowBatch(layout)) },
    copyText: { [Symbol.asyncIterator]: () => read(new CopyText(layout)) },
    report: () => {
      if (ended === undefined) throw new Error('the shipment has not been read to its end');
      return ended;
    },
  };
}
