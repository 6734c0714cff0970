import type { ImportLayout, ImportMode, ImportRecord, Ledger } from '@leasehold/stock-ledger';
import { importJobDigest, type ImportChoice, type ImportJob } from '../contract/import-contracts.js';
import { shipmentNotOpen } from '../faults.js';
import { jobIdOf } from '../jobs/job-name.js';
import { jobWriter, type JobWriter } from '../jobs/job-writer.js';
import type { StoredJob } from '../jobs/owed-jobs.js';
import { importName, type ImportId } from './resource-name.js';

/** What an import's job says; undefined where no source is known, as of a batch that was applied before a restore lost its row. */
const jobOf = ({ importId, generation, source, charset, mode, layout }: ImportRecord): ImportJob | undefined => source && { importId, generation, source, charset, mode, layout };

/** Refuses, before any byte is taken, what no OPEN version of the contract can say. The first job of an import stands for all of them. @throws FAILED_PRECONDITION / OPTIONS_NOT_OPEN */
export function requireSayable(id: ImportId, { mode, layout }: { readonly mode: ImportMode; readonly layout: ImportLayout }, contracts: ImportChoice): void {
  const job = { importId: id.importId, generation: 1, charset: '', mode, layout, source: { key: '', versionId: '', sizeBytes: 0n, sha256: Buffer.alloc(0) } };
  if (contracts.forNew(job, jobIdOf(id.importId, 1)) === undefined) throw shipmentNotOpen(importName(id));
}

/**
 * What is stored for the relay when a generation of the import is accepted: its exact bytes, in the contract version that the coordinator says.
 * @param choose `forOwed`: nobody can be told that it is not OPEN.
 * @throws FAILED_PRECONDITION / OPTIONS_NOT_OPEN
 */
export function importJobToStore(accepted: ImportRecord, contracts: ImportChoice, choose: 'forNew' | 'forOwed' = 'forNew'): StoredJob {
  const job = jobOf(accepted);
  if (job === undefined) throw new Error(`${accepted.namespace}/${accepted.importId} is ACCEPTED without a source`);
  const jobId = jobIdOf(job.importId, job.generation);
  const contract = contracts[choose](job, jobId);
  if (contract === undefined) throw shipmentNotOpen(importName(accepted));
  return { jobId, contractVersion: contract.version, payload: contract.encode(job), digest: importJobDigest(job) };
}

/** Writes an import's job anew, as the ledger has it. */
export const importJobWriter = (contracts: ImportChoice, ledger: Ledger): JobWriter =>
  jobWriter(contracts, importJobDigest, async ({ namespace, id, generation }) => {
    const found = await ledger.find({ namespace, importId: id });
    return found?.generation === generation ? jobOf(found) : undefined;
  });
