import { createRedisBackend, Job, Queue, type BackendFactory, type RedisQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import type { RecordState } from './figures.js';
import { bullPriority, enqueueIdOf, keyPrefix, lockToken, queueName, recordId } from './record.js';

/** How long BullMQ keeps records of what is over, by time and by number. Undefined: any number. */
export interface Retention {
  readonly completedMs: number;
  readonly failedMs: number;
  readonly completedCount: number | undefined;
  readonly failedCount: number | undefined;
}

export type Ending = { readonly state: 'succeeded' | 'failed' | 'cancelled'; readonly reason: string };

/** Where a record is; `finished` is one that BullMQ keeps as completed or failed. */
export type Whereabouts = 'absent' | 'waiting' | 'delayed' | 'active' | 'finished';

/** From the pop to the grant: a statement or two. Whoever dies in between is found out by the stalled check soon after. */
export const popLockMs = 5_000;
export const stalledCheckEveryMs = 1_000;
const eventsKept = 100;

// BullMQ's own ways to end a job are switched off: attempts and stalls are judged by the rows.
const manual = { lockDuration: popLockMs, stalledInterval: stalledCheckEveryMs - 100, maxStalledCount: 1_000_000_000 };
const backend: BackendFactory<RedisQueueBackend> = (name, opts, options) => createRedisBackend(name, { ...opts, ...manual }, options);

/** The BullMQ queue of one contract, used by hand: no BullMQ worker runs. Every method fails when Redis is away; none waits for it. */
export class ProposalQueue {
  readonly kind: string;
  readonly version: number;
  readonly #queue: Queue;
  readonly #prefix: string;
  retention: Retention;

  constructor(client: Redis | Cluster, prefix: string, contract: { readonly kind: string; readonly version: number }, retention: Retention) {
    this.kind = contract.kind;
    this.version = contract.version;
    this.retention = retention;
    this.#prefix = `${keyPrefix(prefix)}:${queueName(contract.kind, contract.version)}`;
    this.#queue = new Queue(queueName(contract.kind, contract.version), {
      connection: client, prefix: keyPrefix(prefix), skipVersionCheck: true, streams: { events: { maxLen: eventsKept } },
    }, backend);
    // The connection tells its errors itself.
    this.#queue.on('error', () => undefined);
  }

  /** Silently does nothing when BullMQ has a record of that enqueue, in whatever state. */
  async add(job: { readonly enqueueId: bigint; readonly priority: number; readonly delayMs: number }): Promise<void> {
    await this.#queue.add('job', {}, { jobId: recordId(job.enqueueId), priority: bullPriority(job.priority), delay: Math.max(Math.ceil(job.delayMs), 0), attempts: 1 });
  }

  /** The record that would be popped next, unless a delayed one comes due; undefined when none waits. */
  async head(): Promise<{ readonly priority: number; readonly enqueueId: bigint } | undefined> {
    const client = await this.#queue.getBackend().client;
    const [id, score] = await client.zrange(`${this.#prefix}:prioritized`, 0, 0, { WITHSCORES: true });
    const enqueueId = id === undefined ? undefined : enqueueIdOf(id);
    return enqueueId === undefined ? undefined : { priority: Math.floor(Number(score) / 2 ** 32), enqueueId };
  }

  /** Takes the next record under the token; undefined when none waits. */
  async pop(token: Uint8Array): Promise<bigint | undefined> {
    const [data, id] = await this.#queue.getBackend().moveToActive(lockToken(token));
    return data === null || data === undefined ? undefined : enqueueIdOf(String(id));
  }

  /** Keeps the record as long as the lease can last; false when it is no longer held under the token. */
  async hold(enqueueId: bigint, token: Uint8Array, forMs: number): Promise<boolean> {
    return (await this.#job(enqueueId).extendLock(lockToken(token), Math.ceil(forMs))) === 1;
  }

  /** Back among the waiting, after a delay. Fails when the record is not held under the token. */
  async putBack(enqueueId: bigint, token: Uint8Array, delayMs: number): Promise<void> {
    await this.#job(enqueueId).moveToDelayed(Date.now() + Math.ceil(delayMs), lockToken(token));
  }

  /** Among the completed or failed. Fails when the record is not held under the token. */
  async finish(enqueueId: bigint, lock: string, { state, reason }: Ending): Promise<void> {
    const job = this.#job(enqueueId);
    if (state === 'succeeded') await job.moveToCompleted(state, lock, false);
    else await job.moveToFailed(new Error(reason), lock, false);
  }

  /** Of a record that nobody holds; false when somebody does. */
  async remove(enqueueId: bigint): Promise<boolean> {
    return (await this.#queue.getBackend().remove(recordId(enqueueId), false)) === 1;
  }

  /** Of a delayed record. Fails when it is not delayed. */
  async promote(enqueueId: bigint): Promise<void> {
    await this.#queue.getBackend().promote(recordId(enqueueId));
  }

  async changeDelay(enqueueId: bigint, delayMs: number): Promise<void> {
    await this.#queue.getBackend().changeDelay(recordId(enqueueId), Math.ceil(delayMs));
  }

  async whereabouts(enqueueId: bigint): Promise<Whereabouts> {
    const state = await this.#queue.getBackend().getState(recordId(enqueueId));
    switch (state) {
      case 'completed':
      case 'failed':
        return 'finished';
      case 'delayed':
      case 'active':
        return state;
      case 'unknown':
        return 'absent';
      default:
        return 'waiting';
    }
  }

  /** Under which token the record is held; undefined when nobody holds it. */
  async lockOf(enqueueId: bigint): Promise<string | undefined> {
    const client = await this.#queue.getBackend().client;
    return (await client.get(`${this.#prefix}:${recordId(enqueueId)}:lock`)) ?? undefined;
  }

  /** Frees records whose holder died before the grant; answers how many. Two calls are needed: one marks, the next one frees. */
  async freeStalled(): Promise<number> {
    return (await this.#queue.getBackend().moveStalledJobsToWait()).length;
  }

  /** Removes what is over and past its time: BullMQ itself does so only when another job ends. */
  async clean(): Promise<number> {
    const completed = await this.#queue.clean(this.retention.completedMs, cleanAtMost, 'completed');
    const failed = await this.#queue.clean(this.retention.failedMs, cleanAtMost, 'failed');
    return completed.length + failed.length;
  }

  /** Enqueue ids of up to `count` unfinished records from `start` on, of one state. */
  async page(state: 'wait' | 'prioritized' | 'delayed' | 'active', start: number, count: number): Promise<{ readonly enqueueIds: readonly bigint[]; readonly read: number }> {
    const [ids = []] = await this.#queue.getBackend().getRanges([state], start, start + count - 1, true);
    const enqueueIds = ids.flatMap((id) => enqueueIdOf(id) ?? []);
    return { enqueueIds, read: ids.length };
  }

  async counts(): Promise<Record<RecordState, number>> {
    const counts = await this.#queue.getJobCounts('wait', 'prioritized', 'delayed', 'active', 'completed', 'failed');
    const of = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    return { waiting: of('wait', 'waiting', 'prioritized'), delayed: of('delayed'), active: of('active'), completed: of('completed'), failed: of('failed') };
  }

  /** A record known by its id alone, with what BullMQ has to know to move it. */
  #job(enqueueId: bigint): Job {
    const { completedMs, completedCount, failedMs, failedCount } = this.retention;
    const keep = (ageMs: number, count: number | undefined): { age: number; count?: number } => ({ age: Math.ceil(ageMs / 1000), ...(count === undefined ? {} : { count }) });
    return new Job(this.#queue, 'job', {}, { attempts: 1, removeOnComplete: keep(completedMs, completedCount), removeOnFail: keep(failedMs, failedCount) }, recordId(enqueueId));
  }
}

const cleanAtMost = 1_000;
