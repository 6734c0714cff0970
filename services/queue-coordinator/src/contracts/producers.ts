import { sql, type Database } from '@leasehold/postgres';

const noteSql = sql(import.meta.url, 'note-producer');

/** What a producer says of itself. */
export interface ProducerWord {
  readonly kind: string;
  readonly producer: string;
  readonly build: string;
  readonly writes: readonly number[];
  readonly reads: readonly number[];
}

/** Remembers it for the gates. @returns false when the kind is not known */
export async function noteProducer(db: Database, { kind, producer, build, writes, reads }: ProducerWord): Promise<boolean> {
  const sorted = (versions: readonly number[]): number[] => [...new Set(versions)].toSorted((a, b) => a - b);
  return (await db.query(noteSql, [kind, producer, build, sorted(writes), sorted(reads)])).length > 0;
}

/**
 * What is said by one who only pulls outcomes, as builds do that know nothing of shares: it writes what it reads. All that come under one identity and read the same count as one.
 */
export const silentProducer = (kind: string, identity: string, reads: readonly number[]): ProducerWord =>
  ({ kind, producer: `${identity} (reads ${reads.join(', ')})`, build: 'a build that does not say its name', writes: reads, reads });
