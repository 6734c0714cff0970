import { sql, type Database } from '@leasehold/postgres';
import { cardOf, type Card, type FileRow } from '../files/card.js';
import { fileName, type FileId } from '../files/resource-name.js';
import type { SweptObjects } from './bucket-pass.js';
import { removableFrom, storedOf, type Windows } from './rules.js';

const findMany = sql(import.meta.url, 'find-many');

/** Uploads and renditions, by the same rules as the sweep of one card. */
export const sweptFiles = (db: Database, windows: Windows): SweptObjects[] =>
  ['uploads/', 'renditions/'].map((prefix) => ({
    prefix,
    kindOf: (object) => storedOf(object)?.kind,
    removableFrom: async (objects) => {
      const stored = objects.map(storedOf);
      const cards = await cardsOf(db, stored.flatMap((each) => (each === undefined ? [] : [each.id])));
      return stored.map((each) => each && removableFrom(each, cards.get(fileName(each.id)), windows));
    },
  }));

async function cardsOf(db: Database, ids: readonly FileId[]): Promise<Map<string, Card>> {
  const unique = [...new Map(ids.map((id) => [fileName(id), id])).values()];
  const rows = await db.query<FileRow>(findMany, [unique.map((id) => id.namespace), unique.map((id) => id.fileId)]);
  return new Map(rows.map(cardOf).map((card) => [fileName(card), card]));
}
