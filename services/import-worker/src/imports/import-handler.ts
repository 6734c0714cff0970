import { LedgerAway } from '@leasehold/stock-ledger';
import { isDatabaseAway } from '@leasehold/postgres';
import { JobFault, LeaseUntrusted, type JobHandler } from '@leasehold/worker-runtime';
import type { Verdict } from '../figures.js';
import { importFault } from '../reasons.js';
import { contractV1 } from './contracts/v1/codec.js';
import { contractV2 } from './contracts/v2/codec.js';
import { ImportAttempt } from './import-attempt.js';
import type { ImportDone, ImportOrder } from './import-order.js';
import type { ImportParts } from './import-parts.js';
import { RunEnded } from './run-ended.js';

/** What the handler reads; the build's manifest says the same. */
export const importContracts: Pick<JobHandler<ImportOrder, ImportDone>, 'kind' | 'contracts'> = { kind: 'import', contracts: new Map([[1, contractV1], [2, contractV2]]) };

/** The kind `import`: from a submitted shipment to stock that has changed exactly once. */
export function importHandler(parts: ImportParts): JobHandler<ImportOrder, ImportDone> {
  return {
    ...importContracts,
    async run(job) {
      try {
        const { verdict, result } = await new ImportAttempt(job, parts).run();
        parts.figures.ended(verdict);
        return result;
      } catch (error) {
        const verdict = verdictOf(error, job.signal);
        const seen = asJobFault(error, job.signal);
        parts.figures.ended(verdict);
        if (verdict === 'failed') parts.figures.failed(seen instanceof JobFault ? seen.reason : 'INTERNAL');
        throw seen;
      }
    },
  };
}

function verdictOf(error: unknown, signal: AbortSignal): Verdict {
  if (error instanceof RunEnded) return error.verdict;
  return signal.aborted ? 'stopped' : 'failed';
}

// What it does not know is passed on: the runtime makes INTERNAL of it and logs it as the surprise that it is.
function asJobFault(error: unknown, signal: AbortSignal): unknown {
  const stopped: unknown = signal.aborted ? signal.reason : undefined;
  if (stopped instanceof LeaseUntrusted && stopped.runBoundReached) return importFault('TIMEOUT', stopped.message, error);
  if (error instanceof JobFault) return error;
  if (error instanceof LedgerAway || isDatabaseAway(error)) return importFault('LEDGER_UNAVAILABLE', `the ledger did not answer, or not in time: ${error instanceof Error ? error.message : ''}`);
  return isServerError(error) ? importFault('INTERNAL', `the database said ${error.code}`) : error;
}

// Its message, detail or context may quote the very row, and the log would have them. The server's own log has the rest.
const isServerError = (error: unknown): error is Error & { code: string } => error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
