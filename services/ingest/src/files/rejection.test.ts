import { ImageReason } from '@leasehold/jobs-image-v1';
import { describe, expect, test } from 'vitest';
import { explanationOf, rejectionOf, rejectionReasons } from './rejection.js';

const words = Object.keys(ImageReason).filter((word) => word !== 'UNSPECIFIED' && word !== 'UNRECOGNIZED');

describe('the public reasons', () => {
  test('every reason of the contract has a public one: content by its own name, technical as EXHAUSTED', () => {
    expect(Object.fromEntries(words.map((word) => [word, rejectionOf(word)]))).toEqual({
      EMPTY: 'EMPTY', UNSUPPORTED_FORMAT: 'UNSUPPORTED_FORMAT', TRUNCATED: 'TRUNCATED', CORRUPT: 'CORRUPT', PIXEL_LIMIT: 'PIXEL_LIMIT', BYTE_LIMIT: 'BYTE_LIMIT',
      FRAME_LIMIT: 'FRAME_LIMIT', SOURCE_MISMATCH: 'SOURCE_MISMATCH', STORE_UNAVAILABLE: 'EXHAUSTED', TIMEOUT: 'EXHAUSTED', INTERNAL: 'EXHAUSTED',
    });
  });

  test.each(['', 'A_WORD_OF_LATER', '/var/lib/x', 'toString'])('%j, which this version does not know, is OTHER', (word) => {
    expect(rejectionOf(word)).toBe('OTHER');
  });

  test('each has a sentence for its owner that leaks nothing', () => {
    for (const reason of rejectionReasons) expect(explanationOf(reason)).toMatch(/^[A-Z][A-Za-z,:. ]+\.$/);
  });
});
