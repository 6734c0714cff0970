import { ImportReason } from '@leasehold/jobs-imports-v1';
import { describe, expect, test } from 'vitest';
import { explanationOf, rejectionOf, rejectionReasons } from './rejection.js';

const words = Object.keys(ImportReason).filter((word) => word !== 'UNSPECIFIED' && word !== 'UNRECOGNIZED');

describe('the public reasons of imports', () => {
  test('every reason of the contract has a public one: content by its own name, technical as EXHAUSTED', () => {
    const byThemselves = words.filter((word) => rejectionOf(word) === word);
    expect(byThemselves).toEqual(['EMPTY', 'ENCODING', 'HEADER', 'QUOTING', 'RAGGED', 'QUANTITY', 'SKU', 'LIMIT', 'NEGATIVE_STOCK', 'SOURCE_MISMATCH']);
    expect(Object.fromEntries(words.filter((word) => !byThemselves.includes(word)).map((word) => [word, rejectionOf(word)]))).toEqual({
      // Never shown: the ledger has the decision that the run found.
      ENDED: 'OTHER', STORE_UNAVAILABLE: 'EXHAUSTED', TIMEOUT: 'EXHAUSTED', INTERNAL: 'EXHAUSTED', LEDGER_UNAVAILABLE: 'EXHAUSTED',
    });
  });

  test.each(['', 'A_WORD_OF_LATER', '/var/lib/x', 'toString'])('%j, which this version does not know, is OTHER', (word) => {
    expect(rejectionOf(word)).toBe('OTHER');
  });

  test('each has a sentence for its owner that says what to do and leaks nothing', () => {
    for (const reason of rejectionReasons) expect(explanationOf(reason)).toMatch(/^[A-Z][A-Za-z0-9,:. -]+\.$/);
  });
});
