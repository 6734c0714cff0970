import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fenceOf, noFence } from '../jobs/fence.js';
import { lastWriteOf, removableFrom, storedOf, type Stored, type SweptCard } from './rules.js';

const windows = { uploadMs: 1_000, writeMs: 10_000 };
const id = { namespace: 'a', fileId: 'b' };
const at = (ms: number): Date => new Date(ms);
const fence = fc.bigInt(1n, 30n).map(fenceOf);

const rendition = (of: bigint, storedAt = at(0)): Stored => ({ kind: 'rendition', id, versionId: 'r', storedAt, fence: fenceOf(of) });
const officialOf = (name: string, versionId: string) => ({ name, key: `renditions/a/b/7/${name}.webp`, versionId, contentType: 'image/webp', sizeBytes: 1n, sha256: Buffer.alloc(32), width: 1, height: 1, frames: 1 });
const made = { renditions: [officialOf('photo', 'r')] as const, placeholder: undefined, sourceWidth: 1, sourceHeight: 1 };
const upload = (versionId: string, storedAt = at(0)): Stored => ({ kind: 'upload', id, versionId, storedAt });
const card = (o: Partial<SweptCard>): SweptCard => ({
  state: 'queued', source: { versionId: 'confirmed', sizeBytes: 1n, sha256: Buffer.alloc(32) }, made, outcomeFence: noFence, outcomeTime: null,
  expireTime: at(500), confirmTime: at(100), deleteTime: null, cancelDue: null, cancelConfirmedAt: null, ...o,
});

describe('what the sweep may remove', () => {
  test('never the rendition of a READY card, and never a fence above the applied one, in any state but deleted', () => {
    const state = fc.constantFrom('pending', 'queued', 'ready', 'rejected', 'cancelled', 'expired');
    fc.assert(fc.property(state, fence, fence, (now, outcomeFence, of) => {
      const from = removableFrom(rendition(of), card({ state: now, outcomeFence, outcomeTime: at(2_000) }), windows);
      if (of > outcomeFence) expect(from).toBeUndefined();
      if (now === 'ready' && of === outcomeFence) expect(from).toBeUndefined();
    }));
  });

  test('superseded renditions of a decided card, after the safety interval: below its fence, or at it all but the official version', () => {
    const decided = { outcomeFence: fenceOf(7n), outcomeTime: at(2_000) };
    expect(removableFrom(rendition(6n), card({ state: 'ready', ...decided }), windows)).toEqual(at(12_000));
    expect(removableFrom({ ...rendition(7n), versionId: 'written twice' }, card({ state: 'ready', ...decided }), windows)).toEqual(at(12_000));
    expect(removableFrom(rendition(7n), card({ state: 'ready', ...decided }), windows)).toBeUndefined();
    expect(removableFrom({ ...rendition(7n), versionId: 'any' }, card({ state: 'ready', ...decided, made: undefined }), windows)).toBeUndefined();
    expect(removableFrom(rendition(7n), card({ state: 'rejected', ...decided }), windows)).toEqual(at(12_000));
    expect(removableFrom(rendition(7n), card({ state: 'cancelled', ...decided }), windows)).toEqual(at(12_000));
  });

  test('never any of several renditions of a READY card', () => {
    const several = { ...made, renditions: [officialOf('photo', 'r'), officialOf('card', 'second')] as const };
    const ready = card({ state: 'ready', outcomeFence: fenceOf(7n), outcomeTime: at(2_000), made: several });
    expect(['r', 'second', 'written twice'].map((versionId) => removableFrom({ ...rendition(7n), versionId }, ready, windows))).toEqual([undefined, undefined, at(12_000)]);
  });

  test('nothing of a card without an outcome for its generation: an attempt may be writing', () => {
    fc.assert(fc.property(fence, fence, (outcomeFence, of) => {
      expect(removableFrom(rendition(of), card({ state: 'queued', outcomeFence, outcomeTime: at(2_000) }), windows)).toBeUndefined();
    }));
  });

  test('never the confirmed version, nor any upload of a PENDING card', () => {
    for (const state of ['queued', 'ready', 'rejected', 'cancelled'] as const) expect(removableFrom(upload('confirmed'), card({ state }), windows)).toBeUndefined();
    expect(removableFrom(upload('any'), card({ state: 'pending', source: undefined, confirmTime: null }), windows)).toBeUndefined();
  });

  test('versions that were not confirmed, and all of an EXPIRED card, once no allowed upload can still come in', () => {
    expect(removableFrom(upload('other'), card({ state: 'queued' }), windows)).toEqual(at(1_100));
    expect(removableFrom(upload('any'), card({ state: 'expired', source: undefined, confirmTime: null }), windows)).toEqual(at(1_500));
  });

  test('everything of a deleted card, from the last possible write on; nothing while the coordinator may still grant its job', () => {
    const objects = [rendition(1n), rendition(29n), upload('confirmed'), upload('other'), { ...rendition(1n), fence: undefined }];
    for (const object of objects) {
      expect(removableFrom(object, card({ state: 'deleting', deleteTime: at(3_000), cancelDue: at(3_000) }), windows)).toBeUndefined();
      expect(removableFrom(object, card({ state: 'deleting', deleteTime: at(3_000) }), windows)).toEqual(at(13_000));
      expect(removableFrom(object, card({ state: 'deleted', deleteTime: at(3_000), cancelConfirmedAt: at(4_000) }), windows)).toEqual(at(14_000));
    }
    expect(lastWriteOf(card({ state: 'queued' }), windows)).toBeUndefined();
  });

  test('what belongs to no card, once nothing that made it can be under way', () => {
    expect(removableFrom(rendition(5n, at(50)), undefined, windows)).toEqual(at(10_050));
    expect(removableFrom(upload('v', at(50)), undefined, windows)).toEqual(at(10_050));
  });

  test('a decision holds whatever happens to the card later: fences only rise, deletion takes everything', () => {
    const decided = fc.constantFrom('ready', 'rejected', 'cancelled');
    fc.assert(fc.property(decided, decided, fence, fc.bigInt(1n, 30n), fence, (before, after, outcomeFence, more, of) => {
      const then = card({ state: before, outcomeFence, outcomeTime: at(2_000) });
      const later = card({ state: after, outcomeFence: fenceOf(outcomeFence + more), outcomeTime: at(9_000) });
      if (removableFrom(rendition(of), then, windows) !== undefined) expect(removableFrom(rendition(of), later, windows)).toBeDefined();
    }));
  });
});

test('a key that is none of ours is not even looked up', () => {
  for (const key of ['uploads/a', 'probes/x', 'renditions/a/b', 'uploads/A/b']) expect(storedOf({ key, versionId: 'v', storedAt: at(0) })).toBeUndefined();
});
