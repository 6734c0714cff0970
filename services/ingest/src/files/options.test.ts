import { describe, expect, test } from 'vitest';
import { optionsOf } from './options.js';

describe('rendition options', () => {
  test('0 and nothing mean the defaults', () => {
    const defaults = { maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 4 };
    expect(optionsOf(undefined)).toEqual({ options: defaults, violations: [] });
    expect(optionsOf({ maxWidth: 0, maxHeight: 0, quality: 0, effort: 0 })).toEqual({ options: defaults, violations: [] });
  });

  test('the bounds themselves are taken', () => {
    expect(optionsOf({ maxWidth: 1, maxHeight: 16_383, quality: 100, effort: 1 }).violations).toEqual([]);
  });

  test('every field beyond its bounds is named', () => {
    const { violations } = optionsOf({ maxWidth: 16_384, maxHeight: -1, quality: 101, effort: 7 });
    expect(violations.map(({ field }) => field)).toEqual(['options.max_width', 'options.max_height', 'options.quality', 'options.effort']);
  });
});
