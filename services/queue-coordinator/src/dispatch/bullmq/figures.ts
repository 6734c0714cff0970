import { Counter, Gauge, type Registry } from 'prom-client';

/** What can happen to a proposal besides being granted. */
export type ProposalEvent = 'relayed' | 'proposed' | 'refused' | 'readded' | 'promoted' | 'put_back' | 'purged' | 'stalled' | 'move_lost';
export type RecordState = 'waiting' | 'delayed' | 'active' | 'completed' | 'failed';

/** Counts what the BullMQ dispatcher does. What a figure means stands in the service's README. */
export class BullmqFigures {
  readonly #proposals: Counter<'kind' | 'version' | 'event'>;
  readonly #records: Gauge<'kind' | 'version' | 'state'>;
  readonly #faults: Counter;
  readonly #losses: Counter;
  readonly #up: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    const contract = ['kind', 'version'] as const;
    this.#proposals = new Counter({ name: 'leasehold_dispatcher_proposals_total', help: 'What happened to proposals of jobs in BullMQ.', labelNames: [...contract, 'event'], registers });
    this.#records = new Gauge({ name: 'leasehold_dispatcher_records', help: 'Records in BullMQ, as Redis has them: waiting, delayed, active, completed or failed.', labelNames: [...contract, 'state'], registers });
    this.#faults = new Counter({ name: 'leasehold_dispatcher_connection_faults_total', help: 'Times the connection to Redis broke or could not be made.', registers });
    this.#losses = new Counter({ name: 'leasehold_dispatcher_memory_losses_total', help: 'Times Redis turned out to be emptied or older than it should be.', registers });
    this.#up = new Gauge({ name: 'leasehold_dispatcher_up', help: '1 when Redis answered the last time it was asked.', registers });
  }

  proposal(kind: string, version: number, event: ProposalEvent, count = 1): void {
    if (count > 0) this.#proposals.inc({ kind, version, event }, count);
  }

  records(kind: string, version: number, counts: Readonly<Record<RecordState, number>>): void {
    for (const state of ['waiting', 'delayed', 'active', 'completed', 'failed'] as const) this.#records.set({ kind, version, state }, counts[state]);
  }

  /** Old figures would look like good ones. */
  recordsUnknown(): void {
    this.#records.reset();
  }

  connectionFault(): void {
    this.#faults.inc();
  }

  memoryLost(): void {
    this.#losses.inc();
  }

  answered(ok: boolean): void {
    this.#up.set(ok ? 1 : 0);
  }
}
