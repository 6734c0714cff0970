import { versionFor, type Share } from '@leasehold/contract-shares';
import type { Clock, Logger } from '@leasehold/service';
import type { Coordinator } from '../coordinator/coordinator.js';

export interface ContractSharesOptions {
  readonly coordinator: Coordinator;
  readonly kind: string;
  /** The contract versions that are written and read here. */
  readonly versions: readonly number[];
  /** Names this process to the coordinator, new at each start. */
  readonly producer: string;
  readonly build: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the coordinator says of which contract version new jobs of a kind are to be written in. Asking also tells it what is written and read here: the gates of a rollout count on that. */
export class ContractShares {
  readonly #o: ContractSharesOptions;
  #shares: readonly Share[] | undefined;
  #askAtMs = 0;

  constructor(o: ContractSharesOptions) {
    this.#o = o;
  }

  get producer(): string {
    return this.#o.producer;
  }

  /** Whether a coordinator has answered yet. */
  get known(): boolean {
    return this.#shares !== undefined;
  }

  /** The OPEN versions among those that are written here, newest first; empty while nobody has answered. */
  get open(): number[] {
    return (this.#shares ?? []).map(({ version }) => version);
  }

  /** By the rule of queue.v1; undefined while nobody has answered, or while none is OPEN. */
  versionFor(jobId: string): number | undefined {
    return this.#shares && versionFor(this.#shares, jobId);
  }

  /** One run of its duty: asks when it is time. Fails when the coordinator does not answer; what was heard before stays. */
  async askWhenDue(signal: AbortSignal): Promise<void> {
    if (this.#o.clock.now() >= this.#askAtMs) await this.#ask(signal);
  }

  /** Asks at once, and does not fail: what was heard before stays. */
  async askNow(signal: AbortSignal): Promise<void> {
    try {
      await this.#ask(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#o.logger.warn({ event: 'contract_shares_unknown', kind: this.#o.kind, err: error }, 'the coordinator does not say what to write; what it said before holds');
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { coordinator, kind, versions, producer, build, clock, logger } = this.#o;
    const { shares, refreshAfterMs } = await coordinator.shares({ kind, producer, build, versions }, signal);
    if (textOf(shares) !== (this.#shares && textOf(this.#shares))) logger.info({ event: 'contract_shares_changed', kind, shares }, 'what new jobs are written in');
    this.#shares = shares;
    this.#askAtMs = clock.now() + refreshAfterMs;
  }
}

const textOf = (shares: readonly Share[]): string => JSON.stringify(shares.map(({ version, percent }) => [version, percent]));
