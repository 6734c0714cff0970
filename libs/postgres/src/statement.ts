import { readFileSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One SQL statement from a file of its own, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const loaded = new Map<string, Statement>();

/**
 * Loads `<name>.sql` beside the calling module, once. A compiled module in dist/ finds the file in src/, so that SQL has one
 * place and no copy step. Throws when the file is missing, at import time and not at the first call.
 *
 *     const settle = sql(import.meta.url, 'settle');
 */
export function sql(importMetaUrl: string, name: string): Statement {
  const folder = dirname(fileURLToPath(importMetaUrl)).replace(`${sep}dist`, `${sep}src`);
  const path = join(folder, `${name}.sql`);
  const known = loaded.get(path);
  if (known !== undefined) return known;
  // The folder is part of the name: two nouns may both have a `get.sql`, and a connection prepares both. So may two packages with a folder of the same name.
  const plain = `${basename(folder)}/${name}`;
  const namesakes = [...loaded.values()].filter((other) => other.name === plain || other.name.startsWith(`${plain}~`)).length;
  const statement = Object.freeze({ name: namesakes === 0 ? plain : `${plain}~${namesakes}`, text: readFileSync(path, 'utf8') });
  loaded.set(path, statement);
  return statement;
}
