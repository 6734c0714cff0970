import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/**
 * A metrics registry with Node's process metrics and `leasehold_build_info`; every metric carries the label `service`. One per process: two
 * would count the same process twice.
 * @param o.build what the process was built from (a version or commit); shown as a label
 */
export function createRegistry(service: string, o: { build?: string } = {}): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // The delay of the event loop is sampled every so many ms. At 10, the default, the sampling alone took more CPU time than an idle service.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  new Gauge({
    name: 'leasehold_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['build', 'node'],
    registers: [registry],
  }).set({ build: o.build ?? 'unknown', node: process.version }, 1);
  return registry;
}
