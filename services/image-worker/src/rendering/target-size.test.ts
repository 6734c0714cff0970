import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sufficientSize, targetSize } from './target-size.js';

const side = fc.integer({ min: 1, max: 16_383 });
const box = fc.record({ maxWidth: side, maxHeight: side, fit: fc.constantFrom<'inside' | 'cover'>('inside', 'cover') });
const picture = fc.record({ width: side, height: side });

test.each([
  [{ width: 400, height: 300 }, { maxWidth: 100, maxHeight: 100, fit: 'inside' }, { width: 100, height: 75 }],
  [{ width: 400, height: 300 }, { maxWidth: 100, maxHeight: 100, fit: 'cover' }, { width: 100, height: 100 }],
  [{ width: 60, height: 40 }, { maxWidth: 100, maxHeight: 100, fit: 'inside' }, { width: 60, height: 40 }],
  // Not enlarged, but of the box's proportions.
  [{ width: 60, height: 40 }, { maxWidth: 100, maxHeight: 100, fit: 'cover' }, { width: 40, height: 40 }],
  [{ width: 60, height: 40 }, { maxWidth: 200, maxHeight: 100, fit: 'cover' }, { width: 60, height: 30 }],
  [{ width: 5000, height: 1 }, { maxWidth: 100, maxHeight: 100, fit: 'inside' }, { width: 100, height: 1 }],
] as const)('%o in %o is %o', (of, asked, expected) => {
  expect(targetSize(of, asked)).toEqual(expected);
});

test('no side vanishes, grows, or leaves its box', () => {
  fc.assert(fc.property(picture, box, (of, asked) => {
    const { width, height } = targetSize(of, asked);
    expect([width >= 1, height >= 1, width <= Math.min(of.width, asked.maxWidth), height <= Math.min(of.height, asked.maxHeight)]).toEqual([true, true, true, true]);
  }));
});

test('what is decoded for several boxes is enough for each of them, and no larger than the picture', () => {
  fc.assert(fc.property(picture, fc.array(box, { minLength: 1, maxLength: 8 }), (of, boxes) => {
    const decoded = sufficientSize(of, boxes);
    expect(decoded.width <= of.width && decoded.height <= of.height).toBe(true);
    for (const each of boxes) {
      const target = targetSize(of, each);
      expect([target.width <= decoded.width, target.height <= decoded.height]).toEqual([true, true]);
    }
  }));
});
