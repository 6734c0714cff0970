import { setTimeout as wait } from 'node:timers/promises';
import type { PostgresServer } from '@leasehold/test-stack';
import type { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import type { Mischief } from '../network/mischief.js';
import type { FaultKind, PlannedFault } from './plan.js';

const written = [
  'RegisterWorker', 'AcquireLeases', 'ExtendLeases', 'SettleLeases', 'DeregisterWorker', 'EnqueueJobs', 'CancelJob', 'PullOutcomes', 'AckOutcomes', 'CreateFile', 'UploadFile',
  'ConfirmFile', 'DeleteFile',
];

const longestIdleMs = 5_000;
/** About what a run takes. */
const runMs = 250;

/** Does what the plan says, when it says so. Faults overlap, but each process and the server suffer one at a time. */
export class Vandal {
  readonly #fleet: Fleet;
  readonly #server: PostgresServer;
  readonly #mischief: Mischief;
  readonly #busy = new Map<object, Promise<void>>();

  constructor(o: { readonly fleet: Fleet; readonly server: PostgresServer; readonly mischief: Mischief }) {
    this.#fleet = o.fleet;
    this.#server = o.server;
    this.#mischief = o.mischief;
  }

  /** Returns when everything runs again. */
  async play(faults: readonly PlannedFault[], onFault: (fault: PlannedFault) => void): Promise<void> {
    await Promise.all(faults.map(async (fault) => {
      await wait(fault.atMs);
      onFault(fault);
      await this.#strike(fault);
    }));
    this.#mischief.end();
  }

  async #strike({ kind, holdsMs, target }: PlannedFault): Promise<void> {
    if (kind === 'replies lost') return this.#mischief.next(pick(written, target), 'reply lost', 1 + (target % 3));
    if (kind === 'PostgreSQL killed' || kind === 'PostgreSQL restarted') return this.#inTurn(this.#server, () => this.#hitServer(kind, holdsMs));
    const member = pick(this.#membersFor(kind), target);
    return this.#inTurn(member, async () => {
      if (kind.startsWith('worker')) await duringARun(member, target);
      await hit(member, kind, holdsMs);
    });
  }

  #membersFor(kind: FaultKind): readonly Member[] {
    if (kind.startsWith('worker')) return this.#fleet.workers;
    return kind.startsWith('coordinator') ? this.#fleet.coordinators : this.#fleet.ingests;
  }

  async #hitServer(kind: 'PostgreSQL killed' | 'PostgreSQL restarted', holdsMs: number): Promise<void> {
    if (kind === 'PostgreSQL killed') {
      await this.#server.kill();
      await wait(holdsMs);
    }
    await this.#server.restart();
  }

  async #inTurn(victim: object, act: () => Promise<void>): Promise<void> {
    const turn = (this.#busy.get(victim) ?? Promise.resolve()).then(act);
    this.#busy.set(victim, turn.catch(() => undefined));
    await turn;
  }
}

/** Waits a while for the worker's next run, so that most faults find it holding a lease, at some point of that run. */
async function duringARun(worker: Member, target: number): Promise<void> {
  const run = await worker.nextLogged('job_started', longestIdleMs).catch(() => undefined);
  if (run !== undefined) await wait(target % runMs);
}

async function hit(member: Member, kind: FaultKind, holdsMs: number): Promise<void> {
  if (kind.endsWith('frozen')) {
    member.freeze();
    await wait(holdsMs);
    member.wake();
    return;
  }
  if (kind.endsWith('killed')) await member.kill();
  else await member.stop();
  await wait(holdsMs / 2);
  await comeBack(member);
}

/** A process that cannot start, as the database is away, is started again: somebody has to do that in production too. */
async function comeBack(member: Member): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await member.start({ mayFail: true });
      return;
    } catch (error) {
      if (attempt === 20) throw error;
      await wait(300);
    }
  }
}

const pick = <T>(items: readonly T[], target: number): T => {
  const item = items[target % items.length];
  if (item === undefined) throw new RangeError('there is nobody to hit');
  return item;
};
