import { sql, type Database } from '@leasehold/postgres';
import { OwedJobs } from '../../jobs/owed-jobs.js';
import { imageKind } from '../resource-name.js';

const statement = (name: string) => sql(import.meta.url, name);
const statements = {
  relayClaim: statement('relay-claim'),
  relayMark: statement('relay-mark'),
  relayRelease: statement('relay-release'),
  relayDefer: statement('relay-defer'),
  relayReencode: statement('relay-reencode'),
  cancelClaim: statement('cancel-claim'),
  cancelConfirmed: statement('cancel-confirmed'),
  cancelRelease: statement('cancel-release'),
  heal: statement('heal'),
  countQueued: statement('count-queued'),
  lag: statement('lag'),
};

/** The jobs of cards: columns of their rows. @param writeWindowMs from a confirmed cancel to the sweep, in ms. */
export const fileJobs = (db: Database, writeWindowMs: number): OwedJobs => new OwedJobs(db, statements, { kind: imageKind, noun: 'file', cancelConfirmedParams: [writeWindowMs] });
