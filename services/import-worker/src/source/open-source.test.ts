import type { EmbeddedStore, StoredVersion } from '@leasehold/object-store';
import { temporaryStore, upload } from '@leasehold/object-store/testing';
import { ManualClock, systemClock } from '@leasehold/service';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ShipmentSource } from '../imports/import-order.js';
import { openSource, type SourceOptions } from './open-source.js';

const content = Buffer.from('sku,quantity\n'.padEnd(5000, 'x'));
let store: EmbeddedStore;
let remove: () => Promise<void>;
let version: StoredVersion;

beforeEach(async () => {
  ({ store, remove } = await temporaryStore());
  version = await upload(store, 'shipments/team/monday', content);
});
afterEach(() => remove());

const source = (over: Partial<ShipmentSource> = {}): ShipmentSource => ({ key: version.key, versionId: version.versionId, sizeBytes: content.length, sha256: version.sha256, ...over });
const options = (over: Partial<SourceOptions> = {}): SourceOptions => ({ signal: new AbortController().signal, stallMs: 30_000, clock: systemClock, onStall: () => undefined, ...over });

async function read(from: EmbeddedStore, over: Partial<ShipmentSource> = {}, o: Partial<SourceOptions> = {}): Promise<Buffer> {
  const { body } = await openSource(from, source(over), options(o));
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}
const fault = (reading: Promise<unknown>): Promise<unknown> => reading.then(() => 'read', (error: unknown) => error);

/** A store that records no digests, and answers these chunks. */
const forgetful = (...chunks: readonly Uint8Array[]): EmbeddedStore => Object.assign(Object.create(store), {
  get: async (...asked: Parameters<EmbeddedStore['get']>) => {
    const { version: { sha256: _, ...rest } } = await store.get(...asked);
    async function* body(): AsyncGenerator<Uint8Array> {
      yield* chunks;
    }
    return { version: rest, body: body() };
  },
});

test('the version that was submitted is read byte for byte, also behind a later one, and whether or not the store records digests', async () => {
  await upload(store, version.key, Buffer.from('something else'));
  expect((await read(store)).equals(content)).toBe(true);
  expect((await read(forgetful(content.subarray(0, 7), content.subarray(7)))).equals(content)).toBe(true);
});

describe('anything else is SOURCE_MISMATCH', () => {
  test.each<[string, Partial<ShipmentSource>]>([
    ['fewer bytes than submitted', { sizeBytes: content.length + 1 }],
    ['more bytes than submitted', { sizeBytes: content.length - 1 }],
    ['another digest', { sha256: Buffer.alloc(32) }],
    ['a version that is not there', { versionId: 'nothing' }],
    ['a key that is not there', { key: 'shipments/team/nothing' }],
  ])('%s', async (_, over) => {
    expect(await fault(read(store, over))).toMatchObject({ reason: 'SOURCE_MISMATCH', faultClass: 'content' });
  });

  test.each<[string, Uint8Array]>([
    ['other bytes', Buffer.alloc(content.length, 'y')],
    ['more bytes than it said', Buffer.alloc(content.length + 1, 'x')],
    ['fewer bytes than it said', content.subarray(1)],
  ])('%s of a store that records no digests', async (_, bytes) => {
    expect(await fault(read(forgetful(bytes)))).toMatchObject({ reason: 'SOURCE_MISMATCH' });
  });
});

test('a reader that breaks off has proved nothing: what is left is read before its verdict counts', async () => {
  const breakOff = async (from: EmbeddedStore): Promise<void> => {
    const opened = await openSource(from, source(), options());
    for await (const _ of opened.body) break;
    await opened.prove();
  };
  await breakOff(forgetful(content.subarray(0, 100), content.subarray(100)));
  expect(await fault(breakOff(forgetful(content.subarray(0, 100), Buffer.alloc(content.length - 100, 'y'))))).toMatchObject({ reason: 'SOURCE_MISMATCH' });
});

test('a store that stops in the middle is TIMEOUT after the wait that is allowed, however long the whole has taken', async () => {
  const clock = new ManualClock();
  const onStall = vi.fn();
  const silent: EmbeddedStore = Object.assign(Object.create(store), {
    get: async (key: string, versionId: string, { signal }: { signal: AbortSignal }) => {
      async function* body(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < 4; at += 1) {
          await clock.advance(900);
          yield content.subarray(at, at + 1);
        }
        await new Promise((_, reject) => { signal.addEventListener('abort', () => reject(signal.reason)); });
      }
      return { version: await store.head(key, versionId), body: body() };
    },
  });
  const { body } = await openSource(silent, source(), options({ clock, stallMs: 1000, onStall }));
  const chunks = body[Symbol.asyncIterator]();
  for (let at = 0; at < 4; at += 1) expect((await chunks.next()).done).toBe(false);
  const end = fault(chunks.next());
  await clock.advance(999);
  expect(onStall).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(await end).toMatchObject({ reason: 'TIMEOUT', faultClass: 'technical' });
  expect(onStall).toHaveBeenCalledOnce();
});

test('a reading that is told to stop ends with the reason of its signal', async () => {
  const stop = new AbortController();
  const { body } = await openSource(store, source(), options({ signal: stop.signal }));
  stop.abort(new Error('the lease was lost'));
  await expect(body[Symbol.asyncIterator]().next()).rejects.toThrow('the lease was lost');
});

