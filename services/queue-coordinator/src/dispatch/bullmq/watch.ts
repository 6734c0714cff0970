import type { Logger, Readiness } from '@leasehold/service';
import type { Cluster, Redis } from 'ioredis';
import type { BullmqFigures } from './figures.js';
import type { RedisLink } from './link.js';
import type { Marker } from './marker.js';
import type { ProposalQueues } from './queues.js';

export const watchEveryMs = 1_000;

export interface WatchParts {
  readonly link: RedisLink;
  readonly queues: ProposalQueues;
  readonly marker: Marker;
  readonly figures: BullmqFigures;
  readonly logger: Logger;
  /** Asks for a comparison of all that Redis has. */
  readonly wakeReconciler: () => void;
}

type Policy = { readonly state: 'unknown' } | { readonly state: 'unreadable'; readonly reason: string } | { readonly state: 'read'; readonly policies: readonly string[] };

/** Watches Redis: whether it answers, whether it may evict, whether it is still the one that it was. */
export class RedisWatch {
  readonly #o: WatchParts;
  #policy: Policy = { state: 'unknown' };
  #silent: string | undefined;
  #comparedGeneration = 0;
  #lossNoted = false;

  constructor(parts: WatchParts) {
    this.#o = parts;
  }

  /** The duty. A Redis that is away is no error of it. */
  async look(): Promise<void> {
    const { link, queues, figures } = this.#o;
    await queues.read();
    if (!link.ready) {
      figures.recordsUnknown();
      return;
    }
    try {
      this.#policy = await policyOf(link.client);
      await this.#lookAtMarker();
      for (const queue of queues.all()) figures.records(queue.kind, queue.version, await queue.counts());
      this.#silent = undefined;
      figures.answered(true);
    } catch (error) {
      figures.recordsUnknown();
      figures.answered(false);
      this.#silent = error instanceof Error ? error.message : 'no reason given';
    }
  }

  async #lookAtMarker(): Promise<void> {
    const { link, marker, figures, logger, wakeReconciler } = this.#o;
    if (this.comparisonDue) return wakeReconciler();
    if (await marker.holds()) return marker.renew();
    if (!this.#lossNoted) {
      figures.memoryLost();
      logger.warn({ event: 'redis_memory_lost' }, 'Redis was emptied, or is older than it should be: every queued job is proposed to it again');
    }
    this.#lossNoted = true;
    // As if it were another Redis.
    this.#comparedGeneration = 0;
    if (link.ready) wakeReconciler();
  }

  /** Whether all that Redis has must be compared: it may have been started anew since the last time. */
  get comparisonDue(): boolean {
    return this.#comparedGeneration !== this.#o.link.generation;
  }

  /** That the comparison which began with this generation of the connection is done, and Redis marked. */
  compared(generation: number): void {
    this.#comparedGeneration = generation;
    this.#lossNoted = false;
  }

  readiness(): Readiness {
    const name = 'redis';
    const { link } = this.#o;
    if (!link.ready) return { name, ok: false, detail: `Redis is away (${link.lastFault}): jobs are taken and handed out when it is back` };
    if (this.#silent !== undefined) return { name, ok: false, detail: `Redis does not answer as it should (${this.#silent})` };
    switch (this.#policy.state) {
      case 'unknown':
        return { name, ok: false, detail: 'Redis was not asked yet' };
      case 'unreadable':
        return { name, ok: false, detail: `the eviction policy of Redis cannot be read (${this.#policy.reason}): let this user run INFO, and set maxmemory-policy noeviction` };
      case 'read': {
        const wrong = this.#policy.policies.filter((policy) => policy !== 'noeviction');
        return wrong.length === 0 ? { name, ok: true } : { name, ok: false, detail: `Redis may evict jobs (maxmemory-policy ${wrong.join(', ')}): set maxmemory-policy noeviction, in redis.conf and with CONFIG SET` };
      }
    }
  }
}

/** Of every node that may hold keys. INFO and not CONFIG, which many hosters forbid. */
async function policyOf(client: Redis | Cluster): Promise<Policy> {
  const nodes = 'nodes' in client ? client.nodes('master') : [client];
  try {
    const infos = await Promise.all(nodes.map((node) => node.info('memory')));
    const policies = infos.map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1]);
    const read = policies.filter((policy) => policy !== undefined);
    return read.length === nodes.length && read.length > 0 ? { state: 'read', policies: read } : { state: 'unreadable', reason: 'INFO memory does not show it' };
  } catch (error) {
    // Refused (ACL), not lost: a connection that broke says so itself.
    if (error instanceof Error && error.name === 'ReplyError') return { state: 'unreadable', reason: error.message };
    throw error;
  }
}
