import { access, copyFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { leftOut } from '../left-out.js';
import { startProcess } from '../process/service-process.js';
import { startRedis } from './server.js';

const holder = fileURLToPath(new URL('../../fixtures/holds-redis.mjs', import.meta.url));
const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

/** The answer's first line; undefined when nothing listens. */
const say = (port: number, command: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`${command}\r\n`));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('\r\n')) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(text === '' ? undefined : text.trim().split('\r\n').at(-1)));
  });

describe.skipIf(leftOut('redis'))('a Redis', { timeout: 120_000 }, () => {
  test('several run at once with settings of their own, and stop without a trace', async () => {
    const [first, second] = await Promise.all([startRedis(), startRedis({ settings: { 'maxmemory-policy': 'allkeys-lru' } })]);
    expect(await say(first.port, 'config get maxmemory-policy')).toBe('noeviction');
    expect(await say(second.port, 'config get maxmemory-policy')).toBe('allkeys-lru');
    await Promise.all([first.stop(), second.stop()]);
    await first.stop();
    expect(await Promise.all([say(first.port, 'ping'), exists(first.dataDir), exists(second.dataDir)])).toEqual([undefined, false, false]);
  });

  test('killed and started again it has what was saved, or an older dump that was put in its place', async () => {
    const server = await startRedis();
    try {
      const dump = join(server.dataDir, 'dump.rdb');
      const old = join(server.dataDir, 'old.rdb');
      await say(server.port, 'set key old');
      await say(server.port, 'save');
      await copyFile(dump, old);
      await say(server.port, 'set key new');
      await say(server.port, 'save');
      await say(server.port, 'set key lost');
      await server.restart();
      expect(await say(server.port, 'get key')).toBe('new');
      await server.kill();
      expect(await say(server.port, 'ping')).toBeUndefined();
      await copyFile(old, dump);
      await server.restart();
      expect(await say(server.port, 'get key')).toBe('old');
    } finally {
      await server.stop();
    }
  });

  test('goes with a killed parent, its data too', async () => {
    const parent = await startProcess({ name: 'holder', args: [holder] });
    const { port, dataDir } = await parent.waitForEvent(({ event }) => event === 'redis_started', { timeoutMs: 60_000 });
    expect(await say(Number(port), 'ping')).toBe('+PONG');
    parent.kill('SIGKILL');
    await expect.poll(() => say(Number(port), 'ping'), { timeout: 10_000 }).toBeUndefined();
    await expect.poll(() => exists(String(dataDir)), { timeout: 10_000 }).toBe(false);
  });

  test('settings that Redis refuses are one clear line', async () => {
    await expect(startRedis({ settings: { 'maxmemory-policy': 'nonsense' } })).rejects.toMatchObject({ name: 'StackFault' });
  });
});
