import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitting, maxAnswerBytes } from './answer-size.js';

test('an answer is a prefix that fits, never empty, and never shorter than it must be', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(256 * 1024), { minLength: 1, maxLength: 60 }), (sizes) => {
      const fit = fitting(sizes, (size) => size);
      const total = (count: number): number => sizes.slice(0, count).reduce((sum, size) => sum + size + 1024, 0);
      expect(fit).toEqual(sizes.slice(0, fit.length));
      expect(fit.length).toBeGreaterThan(0);
      expect(total(fit.length)).toBeLessThanOrEqual(maxAnswerBytes);
      if (fit.length < sizes.length) expect(total(fit.length + 1)).toBeGreaterThan(maxAnswerBytes);
    }),
  );
});
