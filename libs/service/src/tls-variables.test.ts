import { expect, test } from 'vitest';
import { parseConfig } from './config.js';
import { tlsFilesOf, tlsVariables } from './tls-variables.js';

const read = (env: NodeJS.ProcessEnv) => tlsFilesOf(parseConfig(tlsVariables, env));

test('TLS is on with all three variables and off with none', () => {
  expect(read({ LEASEHOLD_TLS_CA: 'a', LEASEHOLD_TLS_CERT: 'b', LEASEHOLD_TLS_KEY: 'c' })).toEqual({ ca: 'a', certificate: 'b', key: 'c' });
  expect(read({})).toBeUndefined();
});

test('a variable that is missing beside the others is named', () => {
  expect(() => read({ LEASEHOLD_TLS_CA: 'a', LEASEHOLD_TLS_KEY: 'c' })).toThrow(/^one environment variable is wrong\n {2}LEASEHOLD_TLS_CERT is not set/);
  expect(() => read({ LEASEHOLD_TLS_KEY: 'c' })).toThrow(/LEASEHOLD_TLS_CA[^]*LEASEHOLD_TLS_CERT/);
});
