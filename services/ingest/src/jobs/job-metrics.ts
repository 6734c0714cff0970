import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What became of an outcome that was pulled. */
export type OutcomeFate = 'applied' | 'stale' | 'unknown' | 'unreadable';

/** The figures of one kind of resource's jobs; the same for each, under its own prefix. README.md says what each means. */
export class JobMetrics {
  readonly relayLagSeconds: Gauge;
  readonly cancelLagSeconds: Gauge;
  readonly relayed: Counter<'verdict'>;
  readonly outcomes: Counter<'fate'>;
  readonly finalSeconds: Histogram<'state'>;
  readonly rejected: Counter<'reason'>;
  readonly namespaceFull: Counter;
  readonly healed: Counter;

  /** @param resources the plural of the resource. */
  constructor(resources: 'files' | 'imports', registry: Registry) {
    const registers = [registry];
    const named = (name: string, help: string) => ({ name: `leasehold_${resources}_${name}`, help, registers });
    this.relayLagSeconds = new Gauge(named('relay_lag_seconds', `Age of the oldest of the queued ${resources} that the coordinator has not taken yet; 0 when there is none.`));
    this.cancelLagSeconds = new Gauge(named('cancel_lag_seconds', 'Age of the oldest cancel that the coordinator has not confirmed yet; 0 when there is none.'));
    this.relayed = new Counter({ ...named('relayed_total', 'Jobs sent to the coordinator, by its verdict. conflict and invalid need an operator.'), labelNames: ['verdict'] });
    this.outcomes = new Counter({ ...named('outcomes_total', 'Outcomes pulled, by what became of them: applied, stale (it had been decided before), unknown (no such resource), unreadable (not acknowledged).'), labelNames: ['fate'] });
    this.finalSeconds = new Histogram({ ...named('time_to_final_seconds', 'From when it was queued to the outcome, by the final state.'), labelNames: ['state'], buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200] });
    this.rejected = new Counter({ ...named('rejected_total', `How many of the ${resources} became REJECTED, by public reason.`), labelNames: ['reason'] });
    this.namespaceFull = new Counter(named('namespace_full_total', `Calls refused because their namespace had too many ${resources} in the queue.`));
    this.healed = new Counter(named('healed_total', `How many of the ${resources} were queued for long and are sent again.`));
  }
}
