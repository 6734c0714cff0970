import type { Member } from '../fleet/member.js';

/** Leases that more than one run was started under: a fence belongs to one holder. */
export function doubleHoldings(workers: readonly Member[]): string[] {
  const holders = new Map<unknown, string>();
  const wrong: string[] = [];
  for (const worker of workers) {
    for (const { fence, job_id: job } of worker.events('job_started')) {
      const holder = holders.get(fence);
      if (holder !== undefined) wrong.push(`job ${String(job)} was started under fence ${String(fence)} by ${holder} and by ${worker.name}`);
      holders.set(fence, worker.name);
    }
  }
  return wrong;
}
