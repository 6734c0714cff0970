import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type ServiceProcess, startProcess } from './process/service-process.js';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const cwd = fileURLToPath(new URL('../fixtures/interrupted', import.meta.url));

async function runOfTests(name: string): Promise<{ run: ServiceProcess; connectionString: string }> {
  const run = await startProcess({ name, args: [vitest, 'run', '--disable-console-intercept'], cwd });
  const { connectionString } = await run.waitForEvent(({ event }) => event === 'test_waits', { timeoutMs: 20_000 });
  return { run, connectionString: String(connectionString) };
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined); // Cut between two steps: the next one says so too.
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

test('runs at the same time have a server each, which ends with its run, interrupted or killed', async () => {
  const [first, second] = await Promise.all([runOfTests('first run'), runOfTests('second run')]);
  expect(await Promise.all([answers(first.connectionString), answers(second.connectionString)])).toEqual([true, true]);
  first.run.kill('SIGINT');
  await expect.poll(() => answers(first.connectionString), { timeout: 10_000 }).toBe(false);
  expect(await answers(second.connectionString)).toBe(true);
  second.run.kill('SIGKILL');
  await expect.poll(() => answers(second.connectionString), { timeout: 10_000 }).toBe(false);
  await Promise.all([first.run.stop(), second.run.stop()]);
});
