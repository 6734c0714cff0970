import { ImportReason as ReasonV1 } from '@leasehold/jobs-imports-v1';
import { ImportReason } from '@leasehold/jobs-imports-v2';
import { expect, test } from 'vitest';
import { faultClassOf } from './reasons.js';

const ofTheContract = Object.entries(ImportReason).filter(([name]) => name !== 'UNSPECIFIED' && name !== 'UNRECOGNIZED');

test('every reason of the contract has a class, and no other word has one', () => {
  expect(Object.keys(faultClassOf).toSorted()).toEqual(ofTheContract.map(([name]) => name).toSorted());
});

test('version 1 has the same reasons under the same numbers, but those of warehouses', () => {
  const reasons = new Map(Object.entries(ReasonV1));
  for (const [name, number] of ofTheContract) expect([name, reasons.get(name)]).toEqual([name, name === 'WAREHOUSE' || name === 'OPERATION' ? undefined : number]);
});

test('a reason is content below 16 and technical from 16 on, as imports.proto numbers them', () => {
  const numbers = new Map(ofTheContract);
  for (const [name, faultClass] of Object.entries(faultClassOf)) expect([name, faultClass]).toEqual([name, (numbers.get(name) ?? 0) < 16 ? 'content' : 'technical']);
});
