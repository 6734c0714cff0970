import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ManualClock } from '@leasehold/service';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PhotoFault } from '../../reasons.js';
import { testFile } from '../../testing/manifest.js';
import { onePhoto, orderOf, webp } from '../../testing/orders.js';
import { childPrograms, testPool } from '../../testing/picture-pool.js';
import { defaultLimits } from '../limits.js';
import { makePhotoHere } from '../photo-making.js';
import type { PicturePool } from './picture-pool.js';

const asked = { order: onePhoto({ effort: 0 }), limits: defaultLimits };
const never = new AbortController().signal;
const pools: PicturePool[] = [];
let pool: PicturePool;
let clock: ManualClock;

function poolOf(o: Parameters<typeof testPool>[0] = {}) {
  const made = testPool({ program: childPrograms.unruly, ...o });
  pools.push(made.pool);
  return made;
}

const ask = async (phrase: string, o: { signal?: AbortSignal; onJudged?: () => void } = {}): Promise<string> =>
  (await pool.make(Buffer.from(phrase), { ...asked, signal: never, ...o })).pictures[0]?.bytes.toString() ?? '';
const failure = (run: Promise<unknown>): Promise<unknown> => run.then(() => 'made', (error: unknown) => error);
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

beforeEach(() => {
  clock = new ManualClock();
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((each) => each.stop()));
});

describe('a child', () => {
  test('makes the very photo that this process would make', async () => {
    pool = poolOf({ program: childPrograms.pictures }).pool;
    const source = testFile('img-display-p3-red.jpg');
    let judged = 0;
    const there = await pool.make(source, { ...asked, signal: never, onJudged: () => { judged += 1; } });
    expect(there).toEqual(await makePhotoHere(source, asked));
    expect(judged).toBe(1);
  });

  test('makes several pictures and a placeholder as this process would, each with its own bytes', async () => {
    pool = poolOf({ program: childPrograms.pictures }).pool;
    const several = { order: orderOf([webp(), webp({ name: 'card', format: 'jpeg', maxWidth: 20 }), webp({ name: 'tiny', format: 'avif', maxWidth: 8, effort: 0 })], { placeholder: true }), limits: defaultLimits };
    const source = testFile('img-display-p3-red.jpg');
    expect(await pool.make(source, { ...several, signal: never })).toEqual(await makePhotoHere(source, several));
  });

  test('that makes something else than was ordered is not believed', async () => {
    pool = poolOf().pool;
    expect(await failure(ask('give more than was asked for'))).toMatchObject({ name: 'PhotoFault', reason: 'INTERNAL' });
  });

  test('says why it refuses a picture, and takes the next', async () => {
    pool = poolOf({ program: childPrograms.pictures }).pool;
    const refusal = await failure(pool.make(testFile('img-bad-crc-idat.png'), { ...asked, signal: never }));
    expect(refusal).toBeInstanceOf(PhotoFault);
    expect(refusal).toHaveProperty('reason', 'CORRUPT');
    expect((await pool.make(testFile('img-1x1.png'), { ...asked, signal: never })).source.format).toBe('png');
  });

  test('works on picture after picture', async () => {
    pool = poolOf().pool;
    expect(await ask('tell the process id')).toBe(await ask('tell the process id'));
  });

  test('that fails in an unforeseen way stays, and its error is no PhotoFault', async () => {
    pool = poolOf().pool;
    const before = await ask('tell the process id');
    expect(await failure(ask('throw'))).not.toBeInstanceOf(PhotoFault);
    expect(await ask('tell the process id')).toBe(before);
  });

  test('knows nothing of what the worker knows', async () => {
    process.env['LEASEHOLD_SIGNING_SECRET'] = 'a secret';
    pool = poolOf().pool;
    expect(Object.keys(JSON.parse(await ask('tell the environment'))).filter((name) => !['PWD', 'OLDPWD', '_', 'SHLVL'].includes(name)).sort()).toEqual(['MALLOC_ARENA_MAX', 'UV_THREADPOOL_SIZE']);
    delete process.env['LEASEHOLD_SIGNING_SECRET'];
  });

  test('ignores the signals that stop a service, as its picture is part of the drain', async () => {
    pool = poolOf().pool;
    const before = Number(await ask('tell the process id'));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(before, signal);
    expect(Number(await ask('tell the process id'))).toBe(before);
  });
});

describe('a picture that costs its child', () => {
  test.each(['hang in JavaScript', 'hang in native code'])('by taking too long is TIMEOUT, and no other picture suffers: %s', async (deed) => {
    const { pool: two, registry } = poolOf({ children: 2, timeoutMs: 1000, clock });
    pool = two;
    await pool.start();
    const hangs = failure(ask(deed));
    const other = await ask('tell the process id');
    await clock.advance(1000);
    expect(await hangs).toHaveProperty('reason', 'TIMEOUT');
    const pids = new Set([await ask('tell the process id'), await ask('tell the process id'), await ask('tell the process id')]);
    expect(pids).toContain(other);
    expect(await registry.getSingleMetricAsString('leasehold_image_children_replaced_total')).toMatch(/cause="timeout".* 1$/m);
  });

  test.each(['crash', 'leave', 'speak another language', 'give a reason of its own'])('is INTERNAL, and the next is made by another child: %s', async (deed) => {
    pool = poolOf().pool;
    const before = await ask('tell the process id');
    const fault = await failure(ask(deed));
    expect(fault).toBeInstanceOf(PhotoFault);
    expect(fault).toHaveProperty('reason', 'INTERNAL');
    expect(await ask('tell the process id')).not.toBe(before);
  });

  test.each([
    ['a progressive JPEG', () => sharp({ create: { width: 8000, height: 6000, channels: 3, background: '#123456' } }).jpeg({ progressive: true })],
    ['an interlaced PNG', () => sharp({ create: { width: 6000, height: 4000, channels: 4, background: '#12345678' } }).png({ progressive: true, compressionLevel: 1 })],
  ])('by needing more memory than it may is INTERNAL, not a fault of the picture\'s, and the next is made: %s', async (_, picture) => {
    pool = poolOf({ program: childPrograms.pictures, memoryBytes: 180 << 20 }).pool;
    expect(await failure(pool.make(await picture().toBuffer(), { ...asked, signal: never }))).toMatchObject({ name: 'PhotoFault', reason: 'INTERNAL' });
    expect((await pool.make(testFile('img-1x1.png'), { ...asked, signal: never })).source.format).toBe('png');
  });

  test('by eating memory is stopped at the bound', async () => {
    pool = poolOf({ memoryBytes: 300 << 20 }).pool;
    expect(await failure(ask('eat memory'))).not.toBe('made');
    expect(Number(await ask('tell the process id'))).toBeGreaterThan(0);
  });

  test('because its run was told to stop ends with that reason, and leaves no process behind', async () => {
    pool = poolOf().pool;
    const before = Number(await ask('tell the process id'));
    const stop = new AbortController();
    const reason = new Error('the lease was lost');
    expect(await failure(ask('hang in native code', { signal: stop.signal, onJudged: () => stop.abort(reason) }))).toBe(reason);
    expect(isAlive(before)).toBe(false);
    expect(await ask('tell the process id')).not.toBe(String(before));
  });
});

describe('waiting', () => {
  test('pictures beyond the children wait, first come, first served, and those that are told to stop leave', async () => {
    pool = poolOf({ timeoutMs: 1000, clock }).pool;
    await pool.start();
    const order: string[] = [];
    const stop = new AbortController();
    const hangs = failure(ask('hang in JavaScript')).then(() => order.push('hangs'));
    const first = ask('tell the process id').then(() => order.push('first'));
    const leaves = failure(ask('tell the process id', { signal: stop.signal })).then(() => order.push('leaves'));
    const second = ask('tell the process id').then(() => order.push('second'));
    stop.abort(new Error('cancelled'));
    await leaves;
    await clock.advance(1000);
    await Promise.all([hangs, first, second]);
    expect(order).toEqual(['leaves', 'hangs', 'first', 'second']);
  });

  test('the time in which a picture waits does not count', async () => {
    pool = poolOf({ timeoutMs: 1000, clock }).pool;
    await pool.start();
    const hangs = failure(ask('hang in JavaScript'));
    const waits = ask('tell the process id');
    await clock.advance(1000);
    await hangs;
    expect(Number(await waits)).toBeGreaterThan(0);
  });
});

describe('the end', () => {
  test('a pool that stops ends every child, also one that hangs, and refuses what waits', async () => {
    pool = poolOf().pool;
    const child = Number(await ask('tell the process id'));
    const [hangs, waits] = [failure(ask('hang in native code')), failure(ask('tell the process id'))];
    await pool.stop();
    expect(isAlive(child)).toBe(false);
    expect([await hangs, await waits]).toMatchObject([{ reason: 'INTERNAL' }, { reason: 'INTERNAL' }]);
    expect(await failure(ask('tell the process id'))).toHaveProperty('reason', 'INTERNAL');
    await pool.stop();
  });

  test.each(['hang in JavaScript', 'hang in native code'])('children end with a parent that is killed, whatever they do: %s', async (deed) => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', `
      import { testPool, childPrograms } from ${JSON.stringify(childPrograms.unruly.replace('unruly-child', 'picture-pool'))};
      const { pool } = testPool({ program: childPrograms.unruly, children: 2 });
      const ask = (phrase, onJudged) => pool.make(Buffer.from(phrase), { ...${JSON.stringify(asked)}, signal: new AbortController().signal, onJudged });
      await pool.start();
      const told = await Promise.all([ask('tell the process id'), ask('tell the process id')]);
      void ask(${JSON.stringify(deed)}, () => console.log(told.map(({ pictures: [{ bytes }] }) => bytes.toString()).join(' ')));
    `], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const children = String(line).split(' ').map(Number);
    expect(children.filter(isAlive)).toEqual(children);
    parent.kill('SIGKILL');
    await expect.poll(() => children.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  test('a child that cannot start costs the picture that wanted it INTERNAL, is tried again after a while, and the pool is not ready meanwhile', async () => {
    pool = poolOf({ program: '/nowhere/child.js', clock }).pool;
    await expect(pool.start()).rejects.toHaveProperty('reason', 'INTERNAL');
    expect(pool.readiness()).toMatchObject({ ok: false });
    const next = failure(ask('tell the process id'));
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(500);
    expect(await next).toHaveProperty('reason', 'INTERNAL');
  });
});
