import { expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { Duty } from './duty.js';
import { OpsServer } from './ops-server.js';
import { createRegistry } from './registry.js';

test('every metric says which service it comes from, and what was built', async () => {
  const text = await createRegistry('ingest', { build: '1.2.3' }).metrics();
  expect(text).toContain(`leasehold_build_info{build="1.2.3",node="${process.version}",service="ingest"} 1`);
  expect(text).toMatch(/^process_cpu_seconds_total\{service="ingest"\} /m);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds\{service="ingest"\} /m);
});

test('metrics follow the conventions of Prometheus: prefix, base units, _total for counters', async () => {
  const registry = createRegistry('ingest');
  const { logger } = captureLog();
  const server = new OpsServer({ host: '127.0.0.1', port: 0, registry, logger, readiness: async () => [] });
  const duties = ['a', 'b'].map((name) => new Duty({ name, everyMs: 1, run: async () => undefined, logger, registry }));
  expect(duties.map((duty) => duty.name)).toEqual(['a', 'b']);
  await server.stop(AbortSignal.timeout(1000));
  const ours = registry.getMetricsAsArray().filter((metric) => metric.name.startsWith('leasehold_'));
  expect(ours.map((metric) => metric.name)).toEqual([
    'leasehold_build_info', 'leasehold_http_request_duration_seconds', 'leasehold_duty_runs_total', 'leasehold_duty_duration_seconds', 'leasehold_duty_last_success_timestamp_seconds',
  ]);
  for (const metric of ours) expect(metric.name).toMatch(String(metric.type) === 'counter' ? /_total$/ : /_(seconds|bytes|info)$/);
});
