import type { ImportRecord, Ledger } from '@leasehold/stock-ledger';
import { importJobDigest, type ImportChoice, type ImportJob } from '../contract/import-contracts.js';
import { jobIdOf } from '../jobs/job-name.js';
import { jobWriter, type JobWriter } from '../jobs/job-writer.js';
import type { StoredJob } from '../jobs/owed-jobs.js';

/** What an import's job says; undefined where no source is known, as of a batch that was applied before a restore lost its row. */
const jobOf = ({ importId, generation, source, charset }: ImportRecord): ImportJob | undefined => source && { importId, generation, source, charset };

/** What is stored for the relay when a generation of the import is accepted: its exact bytes, in the contract version that the coordinator says. */
export function importJobToStore(accepted: ImportRecord, contracts: ImportChoice): StoredJob {
  const job = jobOf(accepted);
  if (job === undefined) throw new Error(`${accepted.namespace}/${accepted.importId} is ACCEPTED without a source`);
  const jobId = jobIdOf(job.importId, job.generation);
  const contract = contracts.forNew(job, jobId);
  if (contract === undefined) throw new Error(`no contract can say the job of ${accepted.namespace}/${accepted.importId}`);
  return { jobId, contractVersion: contract.version, payload: contract.encode(job), digest: importJobDigest(job) };
}

/** Writes an import's job anew, as the ledger has it. */
export const importJobWriter = (contracts: ImportChoice, ledger: Ledger): JobWriter =>
  jobWriter(contracts, importJobDigest, async ({ namespace, id, generation }) => {
    const found = await ledger.find({ namespace, importId: id });
    return found?.generation === generation ? jobOf(found) : undefined;
  });
