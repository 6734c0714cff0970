// How a job is called where BullMQ keeps its record. One record per enqueue, kept over all its attempts.

/** BullMQ refuses ids that are whole numbers, and colons; hence a letter before the enqueue id. */
export const recordId = (enqueueId: bigint): string => `e${enqueueId}`;

/** Undefined for an id that is none of ours. */
export function enqueueIdOf(id: string): bigint | undefined {
  return /^e[1-9][0-9]{0,18}$/.test(id) ? BigInt(id.slice(1)) : undefined;
}

/** One BullMQ queue per contract, as workers read versions, not kinds. */
export const queueName = (kind: string, version: number): string => `${kind}@${version}`;

/** In braces: all keys of a prefix are in one hash slot, so that scripts over several of them run on a Cluster, and queues can be read together. */
export const keyPrefix = (prefix: string): string => `{${prefix}}`;

/** A priority of ours, 9 first and 0 last, as BullMQ's, where 1 is first; never its 0, which would overtake all others. */
export const bullPriority = (priority: number): number => 10 - priority;

/** The record is locked with the lease's own token: whoever may settle the lease may move the record, and nobody else. */
export const lockToken = (token: Uint8Array): string => Buffer.from(token).toString('hex');
