import { setTimeout as wait } from 'node:timers/promises';
import { FilesClient } from '@leasehold/client';
import type { PostgresServer } from '@leasehold/test-stack';
import { nothing, underWay, violations, type Due } from '../checks/books.js';
import { doubleHoldings } from '../checks/holdings.js';
import { strayObjects } from '../checks/store-contents.js';
import type { Fleet } from '../fleet/fleet.js';
import { shortPolicy } from '../fleet/kind-policy.js';
import type { Mischief } from '../network/mischief.js';
import { handOverAsPlanned } from './customer.js';
import { Dice } from './dice.js';
import { planOf, type FaultKind } from './plan.js';
import { Vandal } from './vandal.js';

export interface CampaignOptions {
  /** The same seed gives the same photos and faults at the same moments; what the processes make of them is theirs. */
  readonly seed: number;
  /** Per round. */
  readonly photos: number;
  readonly faults: number;
  /** Over how long a round spreads both, in ms. */
  readonly spreadMs: number;
  /** Larger photos keep workers busy, so that faults find them holding leases. */
  readonly size: { readonly width: number; readonly height: number };
}

/** What it strikes: a running fleet under the short policy, the server that its databases are on, and what its proxies obey. */
export interface Victims {
  readonly fleet: Fleet;
  readonly server: PostgresServer;
  readonly mischief: Mischief;
}

/** What a round did, and what did not hold after it. */
export interface Round {
  readonly round: number;
  readonly photos: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** Grants beyond the first of each job. */
  readonly retries: number;
  readonly expired: number;
  readonly refused: number;
  /** From the last fault or photo until nothing was under way, in ms. */
  readonly restMs: number;
  readonly violations: readonly string[];
}

const restLimitMs = 120_000;
const sweepLimitMs = 60_000;

/** Random faults under a stream of photos. Every round ends with a look at everything that must hold. */
export class Campaign {
  readonly #o: CampaignOptions;
  readonly #fleet: Fleet;
  readonly #vandal: Vandal;
  readonly #dice: Dice;
  readonly #files: FilesClient;
  #fallen = 0;

  constructor(o: CampaignOptions, victims: Victims) {
    this.#o = o;
    this.#fleet = victims.fleet;
    this.#vandal = new Vandal(victims);
    this.#dice = new Dice(o.seed);
    // A call to a frozen ingest is given up soon.
    this.#files = new FilesClient({ address: victims.fleet.ingestAddresses, timeoutMs: 3_000 });
  }

  /** @param round counts from 1 */
  async round(round: number): Promise<Round> {
    const { photos, faults, spreadMs, size, seed } = this.#o;
    const plan = planOf(this.#dice, { photos, faults, spreadMs, leaseMs: shortPolicy.lease_ms }, (round - 1) * photos);
    const wrong: string[] = [];
    const counts = new Map<FaultKind, number>();
    const before = await this.#tally();
    const due = new Map<string, Due>();
    const customers = plan.photos.map(async (photo) => {
      try {
        due.set(...(await handOverAsPlanned(this.#files, `s${seed}-${photo.number}`, photo, size)));
      } catch (error) {
        wrong.push(`handing over photo ${photo.number}: ${String(error)}`);
      }
    });
    await this.#vandal.play(plan.faults, ({ kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
    await Promise.all(customers);
    const restMs = await this.#untilRest(wrong);
    wrong.push(...(await violations(this.#fleet, due)), ...doubleHoldings(this.#fleet.workers), ...this.#newlyFallen(), ...(await this.#strays()));
    const after = await this.#tally();
    return { round, photos, faults: counts, retries: after.retries - before.retries, expired: after.expired - before.expired, refused: after.refused - before.refused, restMs, violations: wrong };
  }

  async #untilRest(wrong: string[]): Promise<number> {
    const startedAt = performance.now();
    const took = (): number => Math.round(performance.now() - startedAt);
    for (;;) {
      const now = await underWay(this.#fleet);
      if (JSON.stringify(now) === JSON.stringify(nothing)) return took();
      if (took() > restLimitMs) {
        wrong.push(`did not come to rest within ${restLimitMs} ms: ${JSON.stringify(now)}`);
        return took();
      }
      await wait(200);
    }
  }

  /** Once safety intervals are over, the store holds what the cards promise and nothing else. */
  async #strays(): Promise<string[]> {
    await this.#fleet.ageCards();
    for (let waitedMs = 0; ; waitedMs += 200) {
      const { missing, extra } = await strayObjects(this.#fleet);
      if (missing.length + extra.length === 0) return [];
      if (waitedMs > sweepLimitMs) return [...missing.map((object) => `${object} is missing from the store`), ...extra.map((object) => `${object} was not swept`)];
      await wait(200);
    }
  }

  close(): void {
    this.#files.close();
  }

  #newlyFallen(): string[] {
    const fallen = this.#fleet.members.flatMap((member) => member.fell);
    const fresh = fallen.slice(this.#fallen);
    this.#fallen = fallen.length;
    return fresh;
  }

  async #tally(): Promise<{ retries: number; expired: number; refused: number }> {
    const { rows: [row] } = await this.#fleet.queue.query<{ retries: number; expired: number; refused: number }>(
      `select (select coalesce(sum(greatest(attempts - 1, 0)), 0) from finished_jobs)::int as retries,
         (select count(*) from job_events where event = 'lease_expired')::int as expired, (select count(*) from job_events where event = 'lease_lost')::int as refused`,
    );
    if (row === undefined) throw new Error('a count has no row');
    return row;
  }
}
