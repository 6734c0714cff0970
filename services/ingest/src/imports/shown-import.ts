import type { ImportRecord, RowError } from '@leasehold/stock-ledger';
import type { JobView } from '../coordinator/coordinator.js';
import { jobIdOf, jobName } from '../jobs/job-name.js';
import type { ImportParts } from './parts.js';
import { importKind } from './resource-name.js';

/** An import as its owner sees it: for an ACCEPTED one with how far its job has come, for a REJECTED one with the first faults of its file. */
export interface ShownImport {
  readonly record: ImportRecord;
  readonly job: JobView | undefined;
  readonly rowErrors: readonly RowError[];
}

const shownRowErrors = 10;

/** A worker holds the lease right now. Shown, never stored. */
export const isProcessing = ({ record, job }: ShownImport): boolean => record.state === 'accepted' && job?.leased === true;

/** What is stored of an import. */
export async function stored(record: ImportRecord, { ledger }: Pick<ImportParts, 'ledger'>): Promise<ShownImport> {
  const faulty = record.state === 'rejected' && (record.rejection?.faultCount ?? 0n) > 0n;
  return { record, job: undefined, rowErrors: faulty ? await ledger.rowErrors(record, { limit: shownRowErrors }) : [] };
}

/** The same with its job; asking the coordinator never fails, as there may just be nothing to show. */
export async function shown(record: ImportRecord, parts: Pick<ImportParts, 'ledger' | 'views'>): Promise<ShownImport> {
  if (record.state !== 'accepted') return stored(record, parts);
  const job = await parts.views.view(jobName(importKind, record.namespace, jobIdOf(record.importId, record.generation)));
  // Decided between the two looks: an owner is not shown a run that has fallen back.
  const decided = job?.ended === true ? await parts.ledger.find(record) : undefined;
  return decided !== undefined && decided.state !== 'accepted' ? stored(decided, parts) : { record, rowErrors: [], job };
}
