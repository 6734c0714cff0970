import type { Database } from '@leasehold/postgres';
import type { Component, Logger, Readiness } from '@leasehold/service';
import { dealOut, grantProposed, slotsOf } from '../../leases/grant.js';
import type { Granted, GrantRequest, LeaseRow } from '../../leases/lease.js';
import type { Dispatcher, Move } from '../dispatcher.js';
import type { Signals } from '../signals.js';
import { noFailpoint, type Failpoint } from './failpoint.js';
import type { BullmqFigures } from './figures.js';
import type { RedisLink } from './link.js';
import { liveJobs } from './live-jobs.js';
import { applyMove } from './moves.js';
import { propose, type Popped } from './proposing.js';
import type { ProposalQueues } from './queues.js';
import { lockToken } from './record.js';

export interface BullmqParts {
  readonly db: Database;
  readonly link: RedisLink;
  readonly queues: ProposalQueues;
  readonly signals: Signals;
  readonly figures: BullmqFigures;
  readonly logger: Logger;
  /** Monotonic, in ms. */
  readonly now: () => number;
  readonly failpoint?: Failpoint;
  /** Asks for a run of the relay. */
  readonly wakeRelay: () => void;
  /** What is known of Redis. */
  readonly readiness: () => Readiness;
}

// Of one call: each is a command to Redis, and a worker that wants more asks again.
const proposalsAtMost = 64;
// Stale proposals in front of good ones are passed over within the call, up to here.
const roundsAtMost = 20;
/** Longer than the run can last, so that the stalled check does not free the record of a run. */
const holdBeyondRunMs = 60_000;
/** Until a due record is proposed again that this worker may not have, or that a transaction holds. */
const tryAgainMs = 500;

/** Proposes what BullMQ has next; the grant is a conditional update of the job's row, and BullMQ is told afterwards. */
export class BullmqDispatcher implements Dispatcher, Component {
  readonly name = 'bullmq';
  readonly #o: BullmqParts;
  readonly #failpoint: Failpoint;
  /** What BullMQ is being told. */
  readonly #telling = new Set<Promise<void>>();

  constructor(parts: BullmqParts) {
    this.#o = parts;
    this.#failpoint = parts.failpoint ?? noFailpoint;
  }

  async start(): Promise<void> {}

  /** Lets BullMQ be told what it is being told, within the deadline; the rest it finds out from the rows. */
  async stop(deadline: AbortSignal): Promise<void> {
    const late = new Promise<void>((resolve) => {
      if (deadline.aborted) resolve();
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([Promise.allSettled(this.#telling), late]);
  }

  async grant(requests: readonly GrantRequest[]): Promise<Granted[]> {
    const [first] = requests;
    if (first === undefined) return [];
    const slots = slotsOf(requests);
    for (let round = 1; ; round++) {
      const popped = await this.#propose(first, slots.length);
      const sentAtMs = this.#o.now();
      if (popped.length === 0) return dealOut(requests, slots, [], sentAtMs);
      for (const { enqueueId } of popped) this.#failpoint('popped', enqueueId);
      const rows = await grantProposed(this.#o.db, first, popped, slots);
      for (const row of rows) this.#failpoint('granted', row.enqueue_id);
      this.#hold(popped, rows);
      this.#refuse(popped.filter((_, place) => !rows.some((row) => Number(row.slot) === place + 1)));
      if (rows.length > 0 || round === roundsAtMost) return dealOut(requests, slots, rows, sentAtMs);
    }
  }

  /** Nothing while Redis is away: the worker waits, and is woken when there is something. */
  async #propose({ kind, versions }: GrantRequest, slots: number): Promise<Popped[]> {
    if (!this.#o.link.ready) return [];
    try {
      const popped = await propose(this.#o.queues.open(kind, versions), Math.min(slots, proposalsAtMost));
      for (const { queue } of popped) this.#o.figures.proposal(kind, queue.version, 'proposed');
      return popped;
    } catch (err) {
      if (this.#o.link.ready) this.#o.logger.warn({ event: 'proposing_failed', kind, err }, 'Redis did not answer as it should; asked again with the next call');
      return [];
    }
  }

  #hold(popped: readonly Popped[], rows: readonly LeaseRow[]): void {
    for (const row of rows) {
      const proposal = popped[Number(row.slot) - 1];
      if (proposal === undefined) continue;
      this.#tell(proposal, 'holding', async () => {
        if (!(await proposal.queue.hold(proposal.enqueueId, proposal.token, row.run_left_ms + holdBeyondRunMs))) throw new Error('the record is not held any more');
      });
    }
  }

  /** A record is completed only if no live row has its enqueue; any other goes back, to come when its row may allow it. */
  #refuse(refused: readonly Popped[]): void {
    if (refused.length === 0) return;
    const live = liveJobs(this.#o.db, refused.map((r) => r.enqueueId));
    for (const proposal of refused) {
      const { queue, enqueueId, token } = proposal;
      this.#o.figures.proposal(queue.kind, queue.version, 'refused');
      this.#tell(proposal, 'refusing', async () => {
        const job = (await live).get(enqueueId);
        if (job === undefined) await queue.finish(enqueueId, lockToken(token), { state: 'succeeded', reason: '' });
        else await queue.putBack(enqueueId, token, job.state === 'queued' && job.wait_ms === 0 ? tryAgainMs : job.wait_ms);
      });
    }
  }

  enqueued(): void {
    this.#o.wakeRelay();
  }

  moved(moves: readonly Move[]): void {
    for (const move of moves) {
      const queue = this.#o.queues.of(move.kind, move.contractVersion);
      this.#tell({ queue, enqueueId: move.enqueueId }, 'moving', async () => {
        await applyMove(queue, move);
        // Whoever waits looked before the record was back.
        if (move.to.state === 'queued') this.#o.signals.send(`due ${move.kind}`);
      });
    }
  }

  /** May be lost: whatever it says is in the rows already. */
  #tell({ queue, enqueueId }: Pick<Popped, 'queue' | 'enqueueId'>, step: 'holding' | 'moving' | 'refusing', what: () => Promise<void>): void {
    const telling = (async () => {
      if (!this.#o.link.ready) throw new Error('Redis is away');
      this.#failpoint(step, enqueueId);
      await what();
    })().catch((error: unknown) => {
      this.#o.figures.proposal(queue.kind, queue.version, 'move_lost');
      this.#o.logger.debug({ event: 'dispatcher_not_told', step, kind: queue.kind, version: queue.version, enqueue_id: enqueueId.toString(), reason: error instanceof Error ? error.message : 'unknown' }, 'found out from the rows later');
    });
    this.#telling.add(telling);
    void telling.finally(() => this.#telling.delete(telling));
  }

  readiness(): readonly Readiness[] {
    return [this.#o.readiness()];
  }
}
