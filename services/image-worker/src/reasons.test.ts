import { ImageReason as ImageReasonV1 } from '@leasehold/jobs-image-v1';
import { ImageReason } from '@leasehold/jobs-image-v2';
import { expect, test } from 'vitest';
import { faultClassOf } from './reasons.js';

test('every reason of the contract has a class, and no other word has one', () => {
  const ofTheContract = Object.keys(ImageReason).filter((name) => name !== 'UNSPECIFIED' && name !== 'UNRECOGNIZED');
  expect(Object.keys(faultClassOf).sort()).toEqual(ofTheContract.sort());
});

test('every version of the contract has the same reasons by the same numbers', () => {
  expect(ImageReasonV1).toEqual(ImageReason);
});

test('a reason is content below 16 and technical from 16 on, as image.proto numbers them', () => {
  const byNumber = Object.entries(faultClassOf).map(([name, faultClass]) => [name, faultClass, Object.entries(ImageReason).find(([n]) => n === name)?.[1] ?? 0] as const);
  for (const [name, faultClass, number] of byNumber) expect([name, faultClass]).toEqual([name, number < 16 ? 'content' : 'technical']);
});
