import type { Database } from '@leasehold/postgres';
import { OwedJobs, owedJobStatements } from '../../jobs/owed-jobs.js';
import { imageKind } from '../resource-name.js';


/** The jobs of cards: columns of their rows. @param writeWindowMs from a confirmed cancel to the sweep, in ms. */
export const fileJobs = (db: Database, writeWindowMs: number): OwedJobs => new OwedJobs(db, owedJobStatements(import.meta.url), { kind: imageKind, noun: 'file', cancelConfirmedParams: [writeWindowMs] });
