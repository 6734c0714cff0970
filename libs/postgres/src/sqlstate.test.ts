import { expect, test } from 'vitest';
import { isDatabaseAway } from './sqlstate.js';

const coded = (code: string): Error => Object.assign(new Error('as the driver words it'), { code });

test.each(['08006', '53300', '55P03', '57014', '57P01', '57P03', 'ECONNREFUSED', 'ECONNRESET'])('%s: the database is away for a moment', (code) => {
  expect(isDatabaseAway(coded(code))).toBe(true);
});

test.each(['timeout exceeded when trying to connect', 'Connection terminated unexpectedly', 'Connection terminated due to connection timeout'])('%s: so it is', (message) => {
  expect(isDatabaseAway(new Error(message))).toBe(true);
});

test.each([coded('23505'), coded('42P01'), coded('40001'), new Error('any other'), undefined, 'text'])('what is at fault itself is not taken for that: %s', (error) => {
  expect(isDatabaseAway(error)).toBe(false);
});
