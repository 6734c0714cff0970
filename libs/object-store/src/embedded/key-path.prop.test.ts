import { dirname, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkKey } from '../argument-rules.js';
import { bytesOf, comparePartOrder, cut, directoryName, keyDirectory, partOf, textOf, type Part } from './key-path.js';

const root = '/store/versions';

// Small alphabets make the collisions that matter likely; `unit: binary` covers the rest of Unicode.
const segment = fc.oneof(
  fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'A', '.', '%', '+', '=', '-', '2', 'f', 'é') }),
  fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }),
  fc.integer({ min: 78, max: 162 }).map((length) => 'l'.repeat(length)),
);
const key = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/')).filter((text) => {
  try {
    checkKey(text);
    return true;
  } catch {
    return false;
  }
});

const partsOf = (text: string): Part[] => {
  const { parts, rest } = cut(bytesOf(text));
  return [...parts, { kind: 'key', bytes: rest }];
};

test('a key comes back from its directory names', () => {
  fc.assert(fc.property(key, (text) => {
    const read = keyDirectory(root, text).slice(root.length + 1).split(sep).map((name) => partOf(name));
    expect(read.map((part) => part?.bytes).join('')).toBe(bytesOf(text));
    expect(read.at(-1)?.kind).toBe('key');
    expect(textOf(read.map((part) => part?.bytes ?? '').join(''))).toBe(text);
  }));
});

test('no text at all leads out of the root', () => {
  fc.assert(fc.property(fc.oneof(key, fc.string({ unit: fc.constantFrom('.', '/', '\0', 'a', '\\') }), fc.string({ unit: 'binary' })), (text) => {
    const path = keyDirectory(root, text);
    expect(resolve(path)).toBe(path);
    expect(path.startsWith(root + sep)).toBe(true);
    expect(path.includes('\0')).toBe(false);
  }));
});

test('every name fits a file system, which may fold case and normalise Unicode', () => {
  fc.assert(fc.property(key, (text) => {
    for (const name of keyDirectory(root, text).slice(root.length + 1).split(sep)) {
      expect(name).toMatch(/^[a-z0-9_.%+=-]+$/);
      expect(name.length).toBeLessThanOrEqual(255);
    }
  }));
});

test('two keys never share a directory, and neither lies in the other\'s', () => {
  fc.assert(fc.property(key, key, (one, other) => {
    fc.pre(one !== other);
    expect(keyDirectory(root, one)).not.toBe(keyDirectory(root, other));
    expect(dirname(keyDirectory(root, one)).startsWith(keyDirectory(root, other))).toBe(false);
  }));
});

test('walking directories in the order of their parts meets keys in the order of their bytes', () => {
  fc.assert(fc.property(fc.uniqueArray(key, { minLength: 2, maxLength: 12 }), (keys) => {
    const walked = keys.toSorted((a, b) => {
      const [one, other] = [partsOf(a), partsOf(b)];
      const at = one.findIndex((part, n) => directoryName(part) !== (other[n] === undefined ? undefined : directoryName(other[n])));
      const [left, right] = [one[at], other[at]];
      return left === undefined || right === undefined ? 0 : comparePartOrder(left, right);
    });
    expect(walked).toEqual(keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  }));
});
