import { ConfigError, parseConfig } from '@leasehold/service';
import { expect, test } from 'vitest';
import { workerSettings, workerVariables } from './worker-settings.js';

const read = (env: Record<string, string>) => workerSettings(parseConfig(workerVariables({ httpPort: 7421, drainTimeoutMs: 40_000 }), { LEASEHOLD_COORDINATORS: '127.0.0.1:7400', ...env }));

test('only the coordinators must be named', () => {
  expect(read({})).toEqual({
    coordinators: ['127.0.0.1:7400'], leaseMarginMs: 2000, drainTimeoutMs: 40_000, stopTimeoutMs: 50_000, tls: undefined, http: { host: '127.0.0.1', port: 7421 },
  });
  expect(() => read({ LEASEHOLD_COORDINATORS: '' })).toThrow(/LEASEHOLD_COORDINATORS is not set/);
});

test('contracts to declare are versions, separated by commas', () => {
  expect(read({ LEASEHOLD_CONTRACTS: '1, 2' }).contracts).toEqual([1, 2]);
  expect(() => read({ LEASEHOLD_CONTRACTS: 'v1' })).toThrow(/LEASEHOLD_CONTRACTS/);
});

test('a stop that would cut running jobs off is refused', () => {
  expect(read({ LEASEHOLD_DRAIN_TIMEOUT: '45s' }).stopTimeoutMs).toBe(50_000);
  expect(() => read({ LEASEHOLD_DRAIN_TIMEOUT: '46s' })).toThrow(ConfigError);
});
