/** How the bytes are read. Undeclared: UTF-8, or UTF-16 where the file begins with its mark. */
export const charsets = [
  'utf-8', 'utf-16', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1255', 'windows-1256', 'windows-1257', 'windows-1258',
] as const;
export type Charset = (typeof charsets)[number];

/** Whether `name` is a charset that a caller may declare; exact, lower case. */
export const isCharset = (name: string): name is Charset => charsets.some((known) => known === name);

/** The closed list of what can be wrong with a shipment; the names are those of the wire. NEGATIVE_STOCK is the ledger's verdict, never this library's. */
export type FaultCode = 'EMPTY' | 'ENCODING' | 'HEADER' | 'QUOTING' | 'RAGGED' | 'QUANTITY' | 'SKU' | 'WAREHOUSE' | 'OPERATION' | 'LIMIT' | 'NEGATIVE_STOCK';

/** Which columns are read. SINGLE: `sku` and `quantity`; every other is ignored. WAREHOUSES: `warehouse` and `operation` as well. */
export const layouts = ['single', 'warehouses'] as const;
export type Layout = (typeof layouts)[number];

/** What a row does to the stock of its SKU in its warehouse: `receive` and `adjust` add the quantity, `set` makes it the stock. */
export const operations = ['receive', 'adjust', 'set'] as const;
export type Operation = (typeof operations)[number];

export interface RowFault {
  /** Physical line, from 1; 1 where the whole file is meant. */
  readonly line: number;
  /** The column's name as the header line has it, trimmed, at most 64 characters of it; empty where the whole line or file is meant. */
  readonly column: string;
  readonly code: FaultCode;
  /** What to mend, in English. Holds at most 64 characters of the field. */
  readonly message: string;
}

export interface ShipmentRow {
  /** Physical line on which the row begins, from 1. */
  readonly line: number;
  /** 1 to 200 bytes of UTF-8, exactly as in the file. */
  readonly sku: string;
  /** int32. 0 changes nothing; the row is handed out all the same, for whoever counts SKUs and rows of one SKU. */
  readonly quantity: number;
  /** WAREHOUSES only: `[A-Za-z0-9][A-Za-z0-9._-]{0,62}`, or empty: the default one. */
  readonly warehouse?: string;
  /** WAREHOUSES only; rows of the SINGLE layout adjust. */
  readonly operation?: Operation;
}

export interface ShipmentReport {
  /** Rows below the header, blank lines excluded, rows with quantity 0 and rows with faults included. All were handed out when there is no fault. */
  readonly rows: number;
  /** Those with a fault of their own. In partial mode, and where nothing ended the reading, `rows - rejectedRows` were handed out. */
  readonly rejectedRows: number;
  /** A fault ended the reading: of what is below it nothing is known, and nothing of the file counts, in partial mode neither. */
  readonly brokenOff: boolean;
  /** Bytes read of the file. */
  readonly bytes: number;
  /** Good rows with quantity 0 that change nothing: all of them but those that set. */
  readonly zeroRows: number;
  /** In the order of the file, at most `maxFaults`. None: the file is a shipment. */
  readonly faults: readonly RowFault[];
  /** All of them, also those beyond the list. */
  readonly faultCount: number;
  /** `,`, `;`, a tab or `|`; empty when no header line was understood. */
  readonly separator: string;
  readonly charset: Charset;
  /** Names of the columns that are not read, as the header line has them, at most 64 characters of each. */
  readonly ignoredColumns: readonly string[];
}

/** One reading of one file. Take `rows` or `copyText`, not both, and to its end; a faulty file hands out the rows before its first fault, or fewer; in partial mode all good rows before the fault that ends the reading, or fewer. */
export interface Shipment {
  /** Batches of at least one row. Bytes are only read while the caller asks for the next batch. */
  readonly rows: AsyncIterable<readonly ShipmentRow[]>;
  /**
   * The same rows in PostgreSQL's COPY text format, UTF-8; buffers of at least one whole row. SINGLE: `line\tsku\tquantity\n`; WAREHOUSES:
   * `line\tsku\tquantity\twarehouse\tsets\n`, with `t` for rows that set and `f` for those that add.
   */
  readonly copyText: AsyncIterable<Buffer>;
  /** What was read. Throws an Error before `rows` or `copyText` has ended. */
  report(): ShipmentReport;
}
