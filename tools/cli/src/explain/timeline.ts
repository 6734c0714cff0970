import type { ExplainJobResponse, JobEvent } from '@leasehold/rollout-v1';
import { findingLines } from '../gates/findings.js';
import { indented, table } from '../print/table.js';
import type { Session } from '../session.js';

/** A job, and what is known of it; undefined: nothing any more. */
export interface Explained {
  readonly job: string;
  readonly explanation: ExplainJobResponse | undefined;
}

export const explainedData = ({ job, explanation }: Explained): object => ({ job, ...(explanation ?? { events: [], waitingFor: [], state: '', contract: '', attempt: 0, maxAttempts: 0 }) });

/** What happened to a job, oldest first, and why nobody runs it now. */
export function timeline({ job, explanation }: Explained, session: Session): string {
  const { ink } = session;
  if (explanation === undefined) return `${job}: neither a record nor an event is left`;
  const { state, contract, attempt, maxAttempts, events, waitingFor } = explanation;
  const title = state === '' ? `${job}: only events are left` : `${job} is ${ink.bold(state)}: ${contract}, attempt ${attempt} of ${maxAttempts}`;
  return [
    title,
    indented(table([], events.map((event) => [event.time?.toISOString() ?? '', sentence(event)]))),
    waitingFor.length === 0 ? '' : `${ink.bold('waits for')}\n${findingLines(waitingFor, session)}`,
  ].filter((part) => part !== '').join('\n');
}

/** In the words of whoever reads a timeline; what this build does not know is shown as it came. */
export function sentence({ event, fence, currentFence, workerId, detail }: JobEvent): string {
  const holder = workerId === '' ? '' : ` of worker ${workerId}`;
  switch (event) {
    case 'job_enqueued':
      return `enqueued as ${detail}`;
    case 'lease_granted':
      return `fence ${fence} to worker ${workerId}: ${detail}`;
    case 'lease_expired':
      return `fence ${fence}${holder} expired: ${detail}`;
    case 'lease_released':
      return `fence ${fence}${holder}: ${detail}`;
    case 'attempt_failed':
      return `fence ${fence}${holder} failed: ${detail}`;
    case 'lease_lost':
      return `worker ${workerId} refused (${detail}): it came with fence ${fence}, and ${currentFence === 0n ? 'nobody holds the job any more' : `${currentFence} counts`}`;
    case 'job_finished':
      return `fence ${fence}: ${detail}`;
    case 'job_cancelled':
      return `cancelled under fence ${currentFence}; it was ${detail}${holder}`;
    case 'job_discarded':
      return `discarded under fence ${currentFence} ${detail}`;
    default:
      return [event, fence === 0n ? '' : `fence ${fence}`, workerId === '' ? '' : `worker ${workerId}`, detail].filter((part) => part !== '').join(', ');
  }
}
