import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const withoutComments = (sql: string): string => sql.replaceAll(/--.*$/gm, '');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /^(src|migrations)[/\\].*\.(sql|ts)$/.test(path) && !/\.(test|itest)\.ts$|[/\\]testing[/\\]/.test(path));

test('the fence sequence is drawn where a job is enqueued, granted, or ended without its holder, and nowhere else', () => {
  const draws = sources.filter((path) => /nextval\s*\(/i.test(withoutComments(readFileSync(`${root}/${path}`, 'utf8')))).toSorted();
  expect(draws).toEqual([
    'src/jobs/cancel.sql', // ends a job without its holder
    'src/jobs/discard.sql', // ends jobs without their holders, at an operator's word
    'src/jobs/exhaust.sql', // ends a queued job that no grant may take
    'src/jobs/insert.sql', // the enqueue id
    'src/jobs/reserve-name.sql', // the tombstone's
    'src/leases/expire.sql', // exhaustion
    'src/leases/grant-next.sql', // the lease's fence
    'src/leases/grant-proposed.sql', // the same, of a job that another dispatcher proposed
  ]);
});

test('the fence sequence has no cache and is only ever set forward', () => {
  const migrations = sources.filter((path) => path.startsWith('migrations')).map((path) => withoutComments(readFileSync(`${root}/${path}`, 'utf8'))).join('\n');
  expect(migrations).toMatch(/create sequence fence_seq as bigint cache 1;/);
  const sets = [...migrations.matchAll(/setval\('fence_seq', ([^;]*)/g)].map(([, value]) => value);
  expect(sets).toHaveLength(2);
  expect(sets[1]).toContain('greatest(');
});
