import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { StackFault } from '../stack-fault.js';
import { explain } from './explain.js';

test('a full disk is named, from the system as from PostgreSQL', async () => {
  const message = 'disk full while starting PostgreSQL: free some space and start again';
  const enospc = Object.assign(new Error("ENOSPC: no space left on device, write '/data/PG_VERSION'"), { code: 'ENOSPC' });
  expect(explain(enospc, 'starting PostgreSQL').message).toBe(message);
  expect(explain('FATAL:  could not write lock file "postmaster.pid": No space left on device', 'starting PostgreSQL').message).toBe(message);
  if (process.platform === 'linux') expect(explain(await writeFile('/dev/full', 'x').catch((error: unknown) => error), 'starting PostgreSQL').message).toBe(message);
});

test('of a long log the line that decided is told, alone', () => {
  const log = [
    '2026-01-01 00:00:00.000 UTC [7] LOG:  starting PostgreSQL 18.4',
    '2026-01-01 00:00:00.001 UTC [7] FATAL:  could not map anonymous shared memory: Cannot allocate memory',
    '2026-01-01 00:00:00.001 UTC [7] HINT:  reduce the request size',
    '2026-01-01 00:00:00.002 UTC [7] LOG:  database system is shut down',
  ].join('\n');
  expect(explain(log, 'starting PostgreSQL').message).toBe('starting PostgreSQL failed: could not map anonymous shared memory: Cannot allocate memory');
});

test('a program that said why is quoted rather than its command line', () => {
  const error = Object.assign(new Error('Command failed: initdb --pgdata=x'), { stderr: 'initdb: error: could not create directory "x": Permission denied\n' });
  expect(explain(error, 'making a cluster').message).toBe('making a cluster failed: initdb: error: could not create directory "x": Permission denied');
});

test('a fault that is clear already stays as it is', () => {
  const fault = new StackFault('port 7432 on 127.0.0.1 is taken');
  expect(explain(fault, 'starting')).toBe(fault);
});
