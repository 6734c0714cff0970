import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The figures that all duties of a registry share, told apart by the label `duty`. */
export interface DutyMetrics {
  ran(duty: string, outcome: string, seconds: number): void;
}

const known = new WeakMap<Registry, DutyMetrics>();

/** The one set of duty metrics of a registry: a second registration of a name would throw. */
export function dutyMetrics(registry: Registry): DutyMetrics {
  const metrics = known.get(registry) ?? register(registry);
  known.set(registry, metrics);
  return metrics;
}

function register(registry: Registry): DutyMetrics {
  const registers = [registry];
  const runs = new Counter({ name: 'leasehold_duty_runs_total', help: 'Runs of background duties that ended, by outcome (ok, error).', labelNames: ['duty', 'outcome'], registers });
  const duration = new Histogram({
    name: 'leasehold_duty_duration_seconds', help: 'How long a run of a background duty took.', labelNames: ['duty'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60], registers,
  });
  const success = new Gauge({ name: 'leasehold_duty_last_success_timestamp_seconds', help: 'When a run last ended well (Unix time).', labelNames: ['duty'], registers });
  return {
    ran(duty, outcome, seconds) {
      runs.inc({ duty, outcome });
      duration.observe({ duty }, seconds);
      if (outcome === 'ok') success.setToCurrentTime({ duty });
    },
  };
}
