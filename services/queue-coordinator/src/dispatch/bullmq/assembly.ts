import type { Database } from '@leasehold/postgres';
import { Duty, type Component, type Logger } from '@leasehold/service';
import type { Registry } from 'prom-client';
import type { Signals } from '../signals.js';
import { claimKinds } from './claim-kinds.js';
import { BullmqDispatcher } from './dispatcher.js';
import { noFailpoint, type Failpoint } from './failpoint.js';
import { BullmqFigures } from './figures.js';
import { RedisLink, type RedisPlace } from './link.js';
import { Marker } from './marker.js';
import { stalledCheckEveryMs } from './proposal-queue.js';
import { ProposalQueues } from './queues.js';
import { overdueEveryMs, Reconciler, sampleEveryMs } from './reconciler.js';
import { relayEveryMs, relayJobs } from './relay.js';
import { RedisWatch, watchEveryMs } from './watch.js';

/** How a coordinator uses BullMQ. */
export interface BullmqSettings {
  readonly place: RedisPlace;
  /** Of all keys; coordinators of one database share it. */
  readonly prefix: string;
  /** Kinds whose policy is set to BullMQ at the start. */
  readonly kinds: readonly string[];
}

const cleanEveryMs = 5_000;
const reconcileEveryMs = 1_000;

export interface Bullmq {
  readonly dispatcher: BullmqDispatcher;
  /** In the order of their start; after the database, before what serves callers. */
  readonly components: readonly Component[];
  /** To be done once before the policies are read. */
  claimKinds(): Promise<void>;
}

/** Puts the BullMQ dispatcher together; nothing acts before its components start. */
export function assembleBullmq(
  { place, prefix, kinds }: BullmqSettings,
  { db, signals, logger, registry, now, failpoint = noFailpoint }: { db: Database; signals: Signals; logger: Logger; registry: Registry; now: () => number; failpoint?: Failpoint | undefined },
): Bullmq {
  const figures = new BullmqFigures(registry);
  const link = new RedisLink(place, logger, figures);
  const queues = new ProposalQueues(db, link, prefix);
  const marker = new Marker(db, link, prefix);
  const reconciler = new Reconciler({ db, queues, signals, figures, logger, failpoint });
  const watch: RedisWatch = new RedisWatch({ link, queues, marker, figures, logger, wakeReconciler: () => comparing.wake() });
  const duty = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<number | void>): Duty => new Duty({ name: `bullmq-${name}`, everyMs, run, logger, registry });
  /** Of a duty that is nothing without Redis, and no error then. */
  const withRedis = (run: (signal: AbortSignal) => Promise<void>) => async (signal: AbortSignal): Promise<void> => {
    if (!link.ready) return;
    const { generation } = link;
    await run(signal).catch((error: unknown) => {
      if (link.ready && link.generation === generation) throw error;
    });
  };
  const each = (run: (queue: ReturnType<ProposalQueues['all']>[number]) => Promise<void>): Promise<unknown> => Promise.all(queues.all().map(run));

  const comparing = duty('reconcile', reconcileEveryMs, withRedis(async (signal) => {
    if (!watch.comparisonDue) return;
    const { generation } = link;
    await queues.read();
    if (await marker.over(() => reconciler.all(signal))) watch.compared(generation);
  }));
  const relay = duty('relay', relayEveryMs, relayJobs({ db, link, queues, signals, figures, failpoint }));
  const watching = duty('watch', watchEveryMs, () => watch.look());
  const duties = [
    watching, comparing, relay,
    duty('overdue', overdueEveryMs, withRedis(() => reconciler.overdue())),
    duty('sample', sampleEveryMs, withRedis(() => reconciler.sample())),
    duty('stalled', stalledCheckEveryMs, withRedis(async () => void (await each(async (queue) => figures.proposal(queue.kind, queue.version, 'stalled', await queue.freeStalled()))))),
    duty('clean', cleanEveryMs, withRedis(async () => void (await each(async (queue) => void (await queue.clean()))))),
  ];
  link.onReady(() => {
    for (const each of [watching, comparing, relay]) each.wake();
  });
  const dispatcher = new BullmqDispatcher({ db, link, queues, signals, figures, logger, now, failpoint, wakeRelay: () => relay.wake(), readiness: () => watch.readiness() });
  return {
    dispatcher,
    // Stopped in reverse: the duties first, then what is still being told, then the connection.
    components: [link, dispatcher, ...duties],
    claimKinds: () => claimKinds(db, logger, kinds),
  };
}
