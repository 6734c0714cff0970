/**
 * The states of a batch and who may move it:
 *
 *     ACCEPTED ─▶ APPLIED     a run that holds the fence, in the transaction that changes the stock
 *     ACCEPTED ─▶ REJECTED    that run, on the content; or the job's outcome (attempts spent, failed)
 *     ACCEPTED ─▶ CANCELLED   the caller; or the job's outcome (cancelled by an operator)
 *     REJECTED ─▶ ACCEPTED    the caller: a retry, or a corrected file; the generation rises
 *     APPLIED  ─▶ ACCEPTED    only a submission after the batch's idempotency term, where one is set
 *
 * A job's outcome that claims success for a batch of which nothing is applied (a ledger that was restored) leaves it ACCEPTED under a new generation.
 */
export type ImportState = 'accepted' | 'applied' | 'rejected' | 'cancelled';

/** The run itself, the job's outcome, or the caller who cancelled. */
export type EndedBy = 'run' | 'outcome' | 'caller';

export const importStates: readonly ImportState[] = ['accepted', 'applied', 'rejected', 'cancelled'];

/** Which batch. `importId` is chosen by the caller: `[A-Za-z0-9][A-Za-z0-9._-]{0,99}`; `namespace`: `[a-z][a-z0-9-]{0,62}`. */
export interface ImportId {
  readonly namespace: string;
  readonly importId: string;
}

/** The exact bytes of a file: one version of one object. */
export interface ImportSource {
  readonly key: string;
  readonly versionId: string;
  readonly sizeBytes: bigint;
  /** 32 bytes. */
  readonly sha256: Buffer;
}

/** ATOMIC: all of a file or nothing. PARTIAL: its good rows; the others are left out and kept as row errors. */
export const importModes = ['atomic', 'partial'] as const;
export type ImportMode = (typeof importModes)[number];

/** SINGLE: every row adds to the default warehouse. WAREHOUSES: each names its warehouse, and may set. */
export const importLayouts = ['single', 'warehouses'] as const;
export type ImportLayout = (typeof importLayouts)[number];

export interface ImportResult {
  /** Data rows, those with quantity 0 and those that were left out included; all that follows is of the rows that were applied. */
  readonly rows: bigint;
  readonly zeroRows: bigint;
  readonly skus: bigint;
  /** Rows beyond the first of their SKU in their warehouse. */
  readonly duplicateRows: bigint;
  /** What was added; a row that sets counts with its difference to the stock that it found, and what stands before it in the file does not count. */
  readonly unitsIn: bigint;
  /** What was taken, likewise, as a positive number. */
  readonly unitsOut: bigint;
  /** The namespace's catalogue generation that the batch made. */
  readonly catalogueGeneration: bigint;
  readonly applyTime: Date;
  /** PARTIAL only: rows that were left out. */
  readonly rejectedRows: bigint;
  /** Different ones. */
  readonly warehouses: bigint;
}

export interface ImportRejection {
  /** A word of the jobs' contract, UPPER_SNAKE. */
  readonly reason: string;
  /** All faults, also those beyond what is kept. */
  readonly faultCount: bigint;
}

/** A row of the journal. */
export interface ImportRecord extends ImportId {
  /** Order of creation within all namespaces. */
  readonly seq: bigint;
  readonly state: ImportState;
  /** Which submission or retry, from 1. */
  readonly generation: number;
  /** Rises with every change that the owner can see. */
  readonly revision: bigint;
  /** Undefined only for an APPLIED batch whose row was lost in a restore: applied_batches keeps no source. */
  readonly source: ImportSource | undefined;
  /** As declared; empty: found in the file. */
  readonly charset: string;
  readonly mode: ImportMode;
  readonly layout: ImportLayout;
  /** 32 bytes. */
  readonly contentDigest: Buffer;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly acceptTime: Date;
  /** When the last run began, within this generation. */
  readonly beginTime: Date | undefined;
  readonly endTime: Date | undefined;
  /** Who ended it; undefined while ACCEPTED. */
  readonly endedBy: EndedBy | undefined;
  /** The fence of the run that may apply, or the least that a later one has. */
  readonly fence: bigint;
  readonly outcomeFence: bigint;
  readonly result: ImportResult | undefined;
  /** Faults that were found: of a REJECTED file, or of the rows that were left out. The first 100 are kept. */
  readonly rowErrorCount: bigint;
  readonly rejection: ImportRejection | undefined;
  /** Until when the batch is known as applied (while ACCEPTED: at least); undefined: for ever. */
  readonly idempotencyExpireTime: Date | undefined;
  readonly retriedRevisions: readonly bigint[];
}

/** As PostgreSQL answers it. */
export interface ImportRow {
  namespace: string;
  import_id: string;
  seq: bigint;
  state: ImportState;
  generation: number;
  revision: bigint;
  create_time: Date;
  update_time: Date;
  accept_time: Date;
  source_key: string | null;
  source_version_id: string | null;
  source_size_bytes: bigint | null;
  source_sha256: Buffer | null;
  charset: string;
  content_digest: Buffer;
  fence: bigint;
  begin_time: Date | null;
  outcome_fence: bigint;
  end_time: Date | null;
  ended_by: EndedBy | null;
  rows: bigint | null;
  zero_rows: bigint | null;
  skus: bigint | null;
  duplicate_rows: bigint | null;
  units_in: bigint | null;
  units_out: bigint | null;
  catalogue_generation: bigint | null;
  rejection_reason: string | null;
  fault_count: bigint | null;
  idempotency_expire_time: Date | null;
  retried_revisions: bigint[];
  /** Of import_options: null where the submission asked for nothing beyond the usual. */
  mode: ImportMode | null;
  layout: ImportLayout | null;
  rejected_rows: bigint | null;
  row_error_count: bigint | null;
  warehouses: bigint | null;
}

export const importOf = (row: ImportRow): ImportRecord => ({
  namespace: row.namespace,
  importId: row.import_id,
  seq: row.seq,
  state: row.state,
  generation: row.generation,
  revision: row.revision,
  source: sourceOf(row),
  charset: row.charset,
  mode: row.mode ?? 'atomic',
  layout: row.layout ?? 'single',
  contentDigest: row.content_digest,
  createTime: row.create_time,
  updateTime: row.update_time,
  acceptTime: row.accept_time,
  beginTime: row.begin_time ?? undefined,
  endTime: row.end_time ?? undefined,
  endedBy: row.ended_by ?? undefined,
  fence: row.fence,
  outcomeFence: row.outcome_fence,
  result: resultOf(row),
  rowErrorCount: row.fault_count ?? (row.state === 'applied' ? (row.row_error_count ?? 0n) : 0n),
  rejection: row.rejection_reason === null ? undefined : { reason: row.rejection_reason, faultCount: row.fault_count ?? 0n },
  idempotencyExpireTime: row.idempotency_expire_time ?? undefined,
  retriedRevisions: row.retried_revisions,
});

function sourceOf(row: ImportRow): ImportSource | undefined {
  if (row.source_key === null || row.source_version_id === null || row.source_size_bytes === null || row.source_sha256 === null) return undefined;
  return { key: row.source_key, versionId: row.source_version_id, sizeBytes: row.source_size_bytes, sha256: row.source_sha256 };
}

function resultOf(row: ImportRow): ImportResult | undefined {
  const { rows, zero_rows: zeroRows, skus, duplicate_rows: duplicateRows, units_in: unitsIn, units_out: unitsOut, catalogue_generation: catalogueGeneration, end_time: applyTime } = row;
  if (rows === null || zeroRows === null || skus === null || duplicateRows === null || unitsIn === null || unitsOut === null || catalogueGeneration === null || applyTime === null) return undefined;
  return { rows, zeroRows, skus, duplicateRows, unitsIn, unitsOut, catalogueGeneration, applyTime, rejectedRows: row.rejected_rows ?? 0n, warehouses: row.warehouses ?? (skus > 0n ? 1n : 0n) };
}
