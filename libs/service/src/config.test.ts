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
    ['durationMs', '500ms', durationMs(), 500], ['durationMs', '30s', durationMs(), 30_000], ['durationMs', '1.5m', durationMs(), 90_000], ['durationMs', '1h', durationMs(), 3_600_000], ['durationMs', '0s', durationMs(), 0],
    ['integer', '-4', integer(), -4], ['integer({ min: 1, max: 3 })', '3', integer({ min: 1, max: 3 }), 3], ['port', '0', port(), 0], ['port', '65535', port(), 65_535],
    ['bool', 'TRUE', bool(), true], ['bool', '0', bool(), false], ['url', 'postgres://h/db', url(), 'postgres://h/db'], ['hostPort', 'db.local:1', hostPort(), 'db.local:1'], ['choice([a, b])', 'b', choice(['a', 'b']), 'b'],
  ])('%s takes %s', (_name, text, validator, value) => {
    expect(parseConfig({ A: validator }, { A: text })).toEqual({ A: value });
  });

  test.each([
    ['durationMs', '30', durationMs(), 'must be a length of time such as 500ms, 30s, 2m or 1h'], ['durationMs', '-1s', durationMs(), 'must be a length'], ['durationMs', '1d', durationMs(), 'must be a length'],
    ['durationMs({ min: 1000 })', '500ms', durationMs({ min: 1000 }), 'must be at least 1000ms'], ['durationMs({ max: 1000 })', '2s', durationMs({ max: 1000 }), 'must be at most 1000ms'],
    ['integer', '1.5', integer(), 'must be a whole number'], ['integer', '1e3', integer(), 'must be a whole number'], ['integer', '9007199254740993', integer(), 'must be a whole number'],
    ['integer({ min: 1 })', '0', integer({ min: 1 }), 'must be a whole number, at least 1'], ['integer({ max: 9 })', '10', integer({ max: 9 }), 'must be a whole number, at most 9'],
    ['integer({ min: 1, max: 9 })', '10', integer({ min: 1, max: 9 }), 'must be a whole number from 1 to 9'], ['port', '65536', port(), 'must be a whole number from 0 to 65535'], ['port', '-1', port(), 'must be'],
    ['bool', 'maybe', bool(), 'must be true or false'], ['bool', 'constructor', bool(), 'must be true or false'], ['url', 'localhost', url(), 'must be an absolute URL'],
    ['hostPort', 'localhost', hostPort(), 'must be host:port'], ['hostPort', 'h:0', hostPort(), 'must be host:port'], ['hostPort', '::1:80', hostPort(), 'must be host:port'], ['hostPort', 'h:70000', hostPort(), 'must be host:port'],
    ['hostPort', 'http://h:1', hostPort(), 'must be host:port'], ['hostPorts', 'a:1,,b:2', hostPorts(), 'must be host:port'], ['choice([a, b])', 'c', choice(['a', 'b']), 'must be one of a, b'],
  ])('%s refuses %s', (_name, text, validator, problem) => {
    expect(problemsOf(() => parseConfig({ A: validator }, { A: text })).problems[0]?.problem).toContain(problem);
  });
});
