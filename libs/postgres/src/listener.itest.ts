import { createLogger } from '@leasehold/service';
import { testDatabase } from '@leasehold/test-stack';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPool, Listener, Notifier, type Database } from './index.js';

const logger = createLogger({ service: 'test', level: 'fatal' });
let url: string;
let db: Database;
let listener: Listener;
const onNotify = vi.fn<(channel: string, payload: string) => void>();
const onReopen = vi.fn<() => void>();

beforeEach(async () => {
  vi.clearAllMocks();
  url = (await testDatabase()).connectionString;
  db = createPool({ connectionString: url, applicationName: 'test', logger });
  listener = new Listener({ connectionString: url, applicationName: 'test listen', channels: ['a'], logger, onNotify, onReopen });
  await listener.start();
});
afterEach(async () => {
  await listener.stop();
  await db.stop();
});

test('notifications of one interval come as one, each word once', async () => {
  const notifier = new Notifier(db, 'a', { minIntervalMs: 5, logger });
  for (const word of ['x', 'y', 'x', 'y', 'x']) notifier.notify(word);
  await expect.poll(() => onNotify.mock.calls).toEqual([['a', 'x,y']]);
  notifier.notify('z');
  await expect.poll(() => onNotify.mock.calls).toEqual([['a', 'x,y'], ['a', 'z']]);
});

test('a LISTEN that was lost holds again by itself, and says that something may have been missed', async () => {
  await db.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test listen' and datname = current_database()");
  await expect.poll(() => onReopen.mock.calls.length).toBe(1);
  await db.pool.query("notify a, 'again'");
  await expect.poll(() => onNotify.mock.calls).toEqual([['a', 'again']]);
});

test('stopping is safe twice and ends a listener that is reconnecting', async () => {
  await db.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test listen' and datname = current_database()");
  await listener.stop();
  await listener.stop();
});
