export { Ledger, type StockMove } from './ledger.js';
export type { ArchiveRun } from './archive/archive.js';
export { setIdempotencyTerm } from './idempotency/term.js';
export { checkLedger, ledgerGrants, ledgerSchema, migrateLedger } from './schema.js';
export {
  importLayouts, importModes, importStates, type EndedBy, type ImportId, type ImportLayout, type ImportMode, type ImportRecord, type ImportRejection, type ImportResult, type ImportSource, type ImportState,
} from './journal/import-record.js';
export type { AcceptVerdict, Submission } from './journal/accept.js';
export { maxKeptFaults, type BeginVerdict, type Refusal, type RejectVerdict, type RowError, type RunIdentity } from './journal/runs.js';
export type { CancelVerdict, JobOutcome, RetryVerdict, SettledJob, SettleVerdict } from './journal/outcomes.js';
export type { Applied, FileFaults, ImportRun, LedgerRow, RunOptions, StockFault } from './run/import-run.js';
export { LedgerAway } from './run/ledger-away.js';
export { stockRowErrors } from './run/stock-row-errors.js';
export type { Catalogue, Preview, StockChange, StockItem, StockRead } from './stock/stock.js';
