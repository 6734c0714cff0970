import { access, chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type LogEvent, type ServiceProcess, startProcess } from '../process/service-process.js';
import { memoryFolder } from './places.js';
import { runningProcess } from './process-table.js';
import { startPostgres } from './server.js';

const holder = fileURLToPath(new URL('../../fixtures/holds-postgres.mjs', import.meta.url));

async function hold(...args: string[]): Promise<{ parent: ServiceProcess; started: LogEvent }> {
  const parent = await startProcess({ name: 'holder', args: [holder, ...args] });
  return { parent, started: await parent.waitForEvent(({ event }) => event === 'postgres_started', { timeoutMs: 20_000 }) };
}

test('a temporary server and its data go with a killed parent', async () => {
  const { parent, started } = await hold();
  parent.kill('SIGKILL');
  await expect.poll(() => runningProcess(Number(started['pid'])), { timeout: 10_000 }).toBeUndefined();
  await expect.poll(() => access(String(started['dataDir'])).then(() => true, () => false), { timeout: 10_000 }).toBe(false);
});

test('a server with a client connected does not outlive a killed parent, and the next start on its data waits for its end', async () => {
  const folder = await mkdtemp(join((await memoryFolder()) ?? tmpdir(), 'leasehold-parent-'));
  await chmod(folder, 0o755);
  const dataDir = join(folder, 'data');
  const { parent, started } = await hold(dataDir);
  const client = new pg.Client({ connectionString: String(started['url']) });
  client.on('error', () => undefined); // It is cut when the server ends.
  await client.connect();
  await client.query('create table kept as select 1 as n');
  parent.kill('SIGKILL');
  await parent.exited;
  const next = await startPostgres({ dataDir });
  try {
    expect(await runningProcess(Number(started['pid']))).toBeUndefined();
    const again = new pg.Client({ connectionString: next.connectionString() });
    await again.connect();
    expect((await again.query('select n from kept')).rows).toEqual([{ n: 1 }]);
    await again.end();
  } finally {
    await next.stop();
    await rm(folder, { recursive: true });
  }
});
