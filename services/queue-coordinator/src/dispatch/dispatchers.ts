import { sql, type Database } from '@leasehold/postgres';
import type { Logger, Readiness } from '@leasehold/service';
import { dispatcherNames, type Dispatcher, type DispatcherName, type Move } from './dispatcher.js';

const policiesSql = sql(import.meta.url, 'dispatched-kinds');

interface PolicyRow {
  readonly kind: string;
  readonly dispatcher: string;
}

export const readPoliciesEveryMs = 1_000;

/**
 * Which dispatcher proposes for which kind. The kind's policy says it; what is read here may be a second old, which does no harm: whatever a dispatcher
 * proposes, the row decides.
 */
export class Dispatchers {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #standard: Dispatcher;
  readonly #byName: ReadonlyMap<string, Dispatcher>;
  readonly #others: boolean;
  #byKind: ReadonlyMap<string, string> = new Map();

  /** `standard` proposes for kinds without a policy too. */
  constructor(db: Database, logger: Logger, standard: Dispatcher, others: readonly Dispatcher[]) {
    this.#db = db;
    this.#logger = logger;
    this.#standard = standard;
    this.#byName = new Map([standard, ...others].map((d) => [d.name, d]));
    this.#others = others.length > 0;
  }

  /** The duty that follows the policies; run once before anything is served. */
  async read(): Promise<void> {
    const rows = await this.#db.query<PolicyRow>(policiesSql, []);
    for (const { kind, dispatcher } of rows) {
      const before = this.#byKind.get(kind);
      if (before !== undefined && before !== dispatcher) this.#logger.info({ event: 'dispatcher_changed', kind, dispatcher, was: before }, 'another dispatcher proposes from now on');
    }
    this.#byKind = new Map(rows.map((row) => [row.kind, row.dispatcher]));
  }

  /** Answers the standard one for a dispatcher that this coordinator does not have: it is not ready then, but what reaches it all the same is served. */
  of(kind: string): Dispatcher {
    return this.#byName.get(this.#byKind.get(kind) ?? this.#standard.name) ?? this.#standard;
  }

  enqueued(kinds: Iterable<string>): void {
    for (const kind of kinds) this.of(kind).enqueued(kind);
  }

  moved(moves: readonly Move[]): void {
    // The standard dispatcher is told nothing, so that its path stays as short as it is.
    if (!this.#others || moves.length === 0) return;
    for (const dispatcher of this.#byName.values()) {
      if (dispatcher === this.#standard) continue;
      const own = moves.filter((move) => this.of(move.kind) === dispatcher);
      if (own.length > 0) dispatcher.moved(own);
    }
  }

  /** A coordinator that cannot serve a kind's dispatcher must not be ready: its jobs would wait for ever. */
  async readiness(): Promise<Readiness[]> {
    const rows = await this.#db.query<PolicyRow>(policiesSql, []);
    const lacking = rows.filter((row) => !this.#byName.has(row.dispatcher)).map((row) => `${row.kind} wants ${row.dispatcher}, which this coordinator does not have: ${howToHave(row.dispatcher)}`);
    const used = new Set(rows.map((row) => row.dispatcher));
    return [
      lacking.length === 0 ? { name: 'dispatchers', ok: true } : { name: 'dispatchers', ok: false, detail: lacking.join('; ') },
      ...[...this.#byName.values()].filter((d) => used.has(d.name)).flatMap((d) => d.readiness()),
    ];
  }
}

const isName = (word: string): word is DispatcherName => dispatcherNames.some((name) => name === word);
const howToHave = (dispatcher: string): string => (isName(dispatcher) && dispatcher === 'bullmq' ? 'set LEASEHOLD_REDIS_URL' : 'it needs a later build');
