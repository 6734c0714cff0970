import { expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';

test('a line is one JSON object with level, time, service, pid, event and msg', () => {
  const log = captureLog();
  log.logger.info({ event: 'job_started', kind: 'image' }, 'started');
  log.logger.error({ event: 'job_failed' });
  expect(log.text().trimEnd().split('\n')).toHaveLength(2);
  expect(log.lines()[0]).toEqual({ level: 'info', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), service: 'tested', pid: process.pid, event: 'job_started', kind: 'image', msg: 'started' });
});

test('lines below the level are not written', () => {
  const log = captureLog('warn');
  log.logger.info({ event: 'quiet' });
  log.logger.warn({ event: 'loud' });
  expect(log.lines().map((line) => line['event'])).toEqual(['loud']);
});

test('a secret is hidden in the fields of a line, of a child logger and of its children', () => {
  const log = captureLog();
  const child = log.logger.child({ lease: { lease_token: 'hunter2' } }).child({ request: { headers: { authorization: 'hunter2' } } }, { level: 'trace' });
  child.setBindings({ url: 'hunter2' });
  child.info({ event: 'granted', leases: [{ token: 'hunter2', fence: 12n }] });
  expect(log.text()).not.toContain('hunter2');
  expect(log.lines()[0]).toMatchObject({ lease: { lease_token: '[redacted]' }, url: '[redacted]', leases: [{ token: '[redacted]', fence: '12' }] });
});

test('an error shows type, message and stack of itself and its cause, without the secrets that it quotes', () => {
  const log = captureLog();
  const cause = new TypeError('fetch of http://store/k?sig=hunter2 failed');
  log.logger.error({ event: 'failed', err: Object.assign(new RangeError('no connection to postgres://app:hunter2@db/queue', { cause }), { token: 'hunter2', code: 'E1' }) });
  log.logger.error(new Error('bare: http://store/k?sig=hunter2'));
  expect(log.text()).not.toContain('hunter2');
  expect(log.lines()[0]).toMatchObject({ err: { type: 'RangeError', code: 'E1', token: '[redacted]', stack: expect.stringContaining('fetch of http://store/k') } });
  expect(log.lines()[1]).toMatchObject({ err: { type: 'Error' }, msg: 'bare: http://store/k?[redacted]' });
});

test('a signed URL in the message is cut, and the line stays JSON', () => {
  const log = captureLog();
  log.logger.info({ event: 'x' }, 'put "%s" done', 'http://store/k?sig=hunter2');
  expect(log.lines()[0]?.['msg']).toBe('put "http://store/k?[redacted]" done');
});
