import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { keysHold } from './keys.js';
import { listingsHold } from './listings.js';
import { refusalsHold } from './refusals.js';
import { signedRequestsHold } from './signed-requests.js';
import type { StoreUnderTest, Subject } from './subject.js';
import { versionsHold } from './versions.js';

export type { StoreUnderTest };

/**
 * What every adapter of ObjectStore must hold, as vitest tests: call it at the top level of a test file. `open` is called once, before the
 * first test; each test keeps to keys of its own, so the store may hold other things, but nobody else may delete below `conformance/`.
 */
export function objectStoreConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} holds the port's promises`, () => {
    let opened: StoreUnderTest | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });
    const subject = (): Subject => {
      if (opened === undefined) throw new Error('the store under test is not open');
      return { store: opened.store, prefix: `conformance/${randomUUID()}/`, versionIdHeader: opened.versionIdHeader };
    };
    describe('versions', () => versionsHold(subject));
    describe('refusals', () => refusalsHold(subject));
    describe('keys', () => keysHold(subject));
    describe('listings', () => listingsHold(subject));
    describe('signed requests', () => signedRequestsHold(subject));
  });
}
