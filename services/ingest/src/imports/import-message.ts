import { Import, ImportLayout as LayoutMessage, ImportMode as ModeMessage, ImportRejectionReason as ReasonMessage, ImportState as StateMessage, RowError as RowErrorMessage } from '@leasehold/ingest-v1';
import type { ImportLayout, ImportMode, ImportRecord, ImportState, RowError } from '@leasehold/stock-ledger';
import { etagOf } from '../etag.js';
import { explanationOf, rejectionOf, type RejectionReason } from './rejection.js';
import { importName } from './resource-name.js';
import { isProcessing, type ShownImport } from './shown-import.js';

const stateMessages = {
  accepted: StateMessage.ACCEPTED,
  applied: StateMessage.APPLIED,
  rejected: StateMessage.REJECTED,
  cancelled: StateMessage.CANCELLED,
} as const satisfies Record<ImportState, StateMessage>;

const modeMessages = { atomic: ModeMessage.ATOMIC, partial: ModeMessage.PARTIAL } as const satisfies Record<ImportMode, ModeMessage>;
const layoutMessages = { single: LayoutMessage.SINGLE, warehouses: LayoutMessage.WAREHOUSES } as const satisfies Record<ImportLayout, LayoutMessage>;

const storedStates = new Map<StateMessage, ImportState>([
  [StateMessage.ACCEPTED, 'accepted'],
  [StateMessage.APPLIED, 'applied'],
  [StateMessage.REJECTED, 'rejected'],
  [StateMessage.CANCELLED, 'cancelled'],
]);

const reasonMessages = {
  EMPTY: ReasonMessage.EMPTY,
  ENCODING: ReasonMessage.ENCODING,
  HEADER: ReasonMessage.HEADER,
  QUOTING: ReasonMessage.QUOTING,
  RAGGED: ReasonMessage.RAGGED,
  QUANTITY: ReasonMessage.QUANTITY,
  SKU: ReasonMessage.SKU,
  WAREHOUSE: ReasonMessage.WAREHOUSE,
  OPERATION: ReasonMessage.OPERATION,
  LIMIT: ReasonMessage.LIMIT,
  NEGATIVE_STOCK: ReasonMessage.NEGATIVE_STOCK,
  SOURCE_MISMATCH: ReasonMessage.SOURCE_MISMATCH,
  EXHAUSTED: ReasonMessage.EXHAUSTED,
  OTHER: ReasonMessage.OTHER,
} as const satisfies Record<RejectionReason, ReasonMessage>;

/** The state that a message's number stands for; undefined for PROCESSING, which is not stored, and for what is no state. */
export const storedStateOf = (state: StateMessage): ImportState | undefined => storedStates.get(state);

/** An import as ingest.v1 shows it. */
export function importMessage(view: ShownImport): Import {
  const { record, job } = view;
  return Import.create({
    name: importName(record),
    state: isProcessing(view) ? StateMessage.PROCESSING : stateMessages[record.state],
    source: record.source && { sizeBytes: record.source.sizeBytes, sha256: record.source.sha256, charset: record.charset, versionId: record.source.versionId },
    result: record.result,
    rejection: rejectionMessage(view),
    progress: record.state === 'accepted' && job !== undefined
      ? { attempt: job.attempt, maxAttempts: job.maxAttempts, percent: job.percent, stage: job.stage, rows: job.items, bytes: job.bytes, bytesTotal: job.bytesTotal }
      : undefined,
    generation: record.generation,
    createTime: record.createTime,
    updateTime: record.updateTime,
    endTime: record.endTime,
    idempotencyExpireTime: shownExpiry(record),
    etag: etagOf(record),
    mode: modeMessages[record.mode],
    layout: layoutMessages[record.layout],
    rowErrorCount: record.rowErrorCount,
  });
}

export const rowErrorMessage = ({ line, column, code, message }: RowError): RowErrorMessage => RowErrorMessage.create({ line: BigInt(line), column, code: reasonMessages[rejectionOf(code)], message });

function rejectionMessage({ record: { rejection }, rowErrors }: ShownImport): Import['rejection'] {
  if (rejection === undefined) return undefined;
  const reason = rejectionOf(rejection.reason);
  return { reason: reasonMessages[reason], explanation: explanationOf(reason), rowErrorCount: rejection.faultCount, rowErrors: rowErrors.map(rowErrorMessage) };
}

/** Until when an APPLIED batch is known. */
const shownExpiry = ({ state, idempotencyExpireTime }: ImportRecord): Date | undefined => (state === 'applied' ? idempotencyExpireTime : undefined);
