import { describe, expect, expectTypeOf, test } from 'vitest';
import { ConfigError, parseConfig } from './config.js';
import { bool, choice, durationMs, hostPort, hostPorts, integer, port, str, url } from './variables.js';

function problemsOf(run: () => unknown): ConfigError {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('no ConfigError was thrown');
}

test('values are parsed, typed, frozen, and nothing else is in them', () => {
  const config = parseConfig({
    PORT: port({ default: 7400 }), NAME: str(), WAIT: durationMs({ default: 30_000 }), MODE: choice(['postgres', 'bullmq'], { default: 'postgres' }),
    PEERS: hostPorts({ default: undefined }), LIMIT: integer({ default: undefined, min: 1 }),
  }, { NAME: 'n', WAIT: '2m', PEERS: 'a:1, [::1]:2', OTHER: 'x', NODE_ENV: 'production' });
  expectTypeOf(config.PORT).toEqualTypeOf<number>();
  expectTypeOf(config.MODE).toEqualTypeOf<'postgres' | 'bullmq'>();
  expectTypeOf(config.PEERS).toEqualTypeOf<readonly string[] | undefined>();
  expectTypeOf(config.LIMIT).toEqualTypeOf<number | undefined>();
  expect(config).toEqual({ PORT: 7400, NAME: 'n', WAIT: 120_000, MODE: 'postgres', PEERS: ['a:1', '[::1]:2'], LIMIT: undefined });
  expect(Object.isFrozen(config)).toBe(true);
});

test('every wrong variable is listed at once, with what it is for and what to set', () => {
  const error = problemsOf(() => parseConfig({
    LEASEHOLD_DATABASE_URL: url({ desc: 'the database of the queue', example: 'postgres://localhost/queue' }),
    LEASEHOLD_GRPC_PORT: port({ default: 7400 }),
    LEASEHOLD_FINE: str({ default: 'x' }),
  }, { LEASEHOLD_GRPC_PORT: 'seventy' }));
  expect(error.problems.map((p) => p.variable)).toEqual(['LEASEHOLD_DATABASE_URL', 'LEASEHOLD_GRPC_PORT']);
  expect(error.message).toBe([
    '2 environment variables are wrong',
    '  LEASEHOLD_DATABASE_URL is not set: the database of the queue; set it to something like postgres://localhost/queue',
    '  LEASEHOLD_GRPC_PORT must be a whole number from 0 to 65535',
  ].join('\n'));
});

test('a value, which may be a secret in the wrong place, is never repeated', () => {
  const spec = { A: url(), B: port(), C: bool(), D: integer(), E: durationMs(), F: hostPort(), G: choice(['x']), H: hostPorts() };
  const error = problemsOf(() => parseConfig(spec, Object.fromEntries(Object.keys(spec).map((name) => [name, 'hunter2']))));
  expect(error.problems).toHaveLength(8);
  expect(error.message).not.toContain('hunter2');
});

test('an empty variable counts as not set', () => {
  expect(parseConfig({ A: str({ default: 'fallback' }) }, { A: '' })).toEqual({ A: 'fallback' });
  expect(problemsOf(() => parseConfig({ A: str() }, { A: '' })).message).toContain('A is not set');
});

test('NODE_ENV changes nothing', () => {
  for (const NODE_ENV of ['production', 'development', 'test']) expect(parseConfig({ A: integer({ default: 3 }) }, { NODE_ENV })).toEqual({ A: 3 });
});

describe('validators', () => {
  test.each([
    ['durationMs', durationMs(), '500ms', 500], ['durationMs', durationMs(), '30s', 30_000], ['durationMs', durationMs(), '1.5m', 90_000], ['durationMs', durationMs(), '1h', 3_600_000], ['durationMs', durationMs(), '0s', 0],
    ['integer', integer(), '-4', -4], ['integer({ min: 1, max: 3 })', integer({ min: 1, max: 3 }), '3', 3], ['port', port(), '0', 0], ['port', port(), '65535', 65_535],
    ['bool', bool(), 'TRUE', true], ['bool', bool(), '0', false], ['url', url(), 'postgres://h/db', 'postgres://h/db'], ['hostPort', hostPort(), 'db.local:1', 'db.local:1'], ['choice([a, b])', choice(['a', 'b']), 'b', 'b'],
  ])('%s takes %3$s', (_name, validator, text, value) => {
    expect(parseConfig({ A: validator }, { A: text })).toEqual({ A: value });
  });

  test.each([
    ['durationMs', durationMs(), '30', 'must be a length of time such as 500ms, 30s, 2m or 1h'], ['durationMs', durationMs(), '-1s', 'must be a length'], ['durationMs', durationMs(), '1d', 'must be a length'],
    ['durationMs({ min: 1000 })', durationMs({ min: 1000 }), '500ms', 'must be at least 1000ms'], ['durationMs({ max: 1000 })', durationMs({ max: 1000 }), '2s', 'must be at most 1000ms'],
    ['integer', integer(), '1.5', 'must be a whole number'], ['integer', integer(), '1e3', 'must be a whole number'], ['integer', integer(), '9007199254740993', 'must be a whole number'],
    ['integer({ min: 1 })', integer({ min: 1 }), '0', 'must be a whole number, at least 1'], ['integer({ max: 9 })', integer({ max: 9 }), '10', 'must be a whole number, at most 9'],
    ['integer({ min: 1, max: 9 })', integer({ min: 1, max: 9 }), '10', 'must be a whole number from 1 to 9'], ['port', port(), '65536', 'must be a whole number from 0 to 65535'], ['port', port(), '-1', 'must be'],
    ['bool', bool(), 'maybe', 'must be true or false'], ['bool', bool(), 'toString', 'must be true or false'], ['url', url(), 'localhost', 'must be an absolute URL'],
    ['hostPort', hostPort(), 'localhost', 'must be host:port'], ['hostPort', hostPort(), 'h:0', 'must be host:port'], ['hostPort', hostPort(), '::1:80', 'must be host:port'], ['hostPort', hostPort(), 'h:70000', 'must be host:port'],
    ['hostPort', hostPort(), 'http://h:1', 'must be host:port'], ['hostPorts', hostPorts(), 'a:1,,b:2', 'must be host:port'], ['choice([a, b])', choice(['a', 'b']), 'c', 'must be one of a, b'],
  ])('%s refuses %3$s', (_name, validator, text, problem) => {
    expect(problemsOf(() => parseConfig({ A: validator }, { A: text })).problems[0]?.problem).toContain(problem);
  });
});
