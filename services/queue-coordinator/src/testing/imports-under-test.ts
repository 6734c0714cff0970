import type { Lease } from '@leasehold/lease-v1';
import type { Job, JobSpec } from '@leasehold/queue-v1';
import { enqueueOne, getJob, jobName, spec, WorkerUnderTest, type CoordinatorUnderTest } from './queue-under-test.js';

/** Jobs of the kind `import`, which may have another dispatcher than `image`. */
export const kind = 'import';

export const importSpec = (id: string, more: Partial<JobSpec> = {}): JobSpec => spec(id, { name: jobName(id, 'default', kind), ...more });
export const enqueueImport = (coordinator: CoordinatorUnderTest, id: string, more: Partial<JobSpec> = {}): Promise<Job> => enqueueOne(coordinator, id, { name: jobName(id, 'default', kind), ...more });
export const getImport = (coordinator: CoordinatorUnderTest, id: string): Promise<Job> => getJob(coordinator, id, kind);
export const importer = (coordinator: CoordinatorUnderTest, versions: readonly number[] = [1], build?: string): Promise<WorkerUnderTest> => new WorkerUnderTest(build).register(coordinator, versions, kind);

/** Acquires until there are `count` leases; each call waits for up to 5 s. */
export async function take(worker: WorkerUnderTest, coordinator: CoordinatorUnderTest, count = 1, contractVersions: number[] = [1]): Promise<Lease[]> {
  const leases: Lease[] = [];
  for (let call = 0; leases.length < count && call < 6; call++) {
    leases.push(...(await worker.acquire(coordinator, { kind, contractVersions, maxLeases: count - leases.length, wait: { seconds: 5n, nanos: 0 } })));
  }
  return leases;
}
