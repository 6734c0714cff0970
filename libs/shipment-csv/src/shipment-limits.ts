export interface ShipmentLimits {
  /** Of the file as it arrives. */
  readonly maxBytes: number;
  /** Below the header, blank lines excluded. */
  readonly maxRows: number;
  /** Of the header line. */
  readonly maxColumns: number;
  /** Of one field as UTF-8, without its quotes. A row may have 16 times as much. */
  readonly maxFieldBytes: number;
  /** Faults that are listed; the others are counted. */
  readonly maxFaults: number;
}

export const defaultLimits: ShipmentLimits = Object.freeze({
  maxBytes: 1024 * 1024 * 1024,
  maxRows: 10_000_000,
  maxColumns: 256,
  maxFieldBytes: 64 * 1024,
  maxFaults: 100,
});

/** The longest row, in bytes of UTF-8 as it stands in the file, without its line end: what bounds memory when a quote is left open. */
export const maxRowBytes = (limits: ShipmentLimits): number => 16 * limits.maxFieldBytes;
