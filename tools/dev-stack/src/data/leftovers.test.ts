import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess, type ServiceProcess } from '@leasehold/test-stack';
import { expect, onTestFinished, test } from 'vitest';
import { endLeftovers, remember } from './leftovers.js';
import { scratchFolder } from './scratch-folder.fixture.js';

async function sleeper(): Promise<ServiceProcess> {
  const started = await startProcess({ name: 'sleeper', args: ['-e', 'setInterval(() => {}, 1000)'] });
  onTestFinished(async () => {
    started.kill('SIGKILL');
    await started.exited;
  });
  return started;
}

test('a process that was left frozen is ended, and forgotten', async () => {
  const file = join(await scratchFolder(), 'processes');
  const frozen = await sleeper();
  await remember(file, frozen.pid);
  frozen.kill('SIGSTOP');
  expect(await endLeftovers(file, { graceMs: 0 })).toBe(1);
  expect(await frozen.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await expect(access(file)).rejects.toThrow('ENOENT');
});

test('another program that got the process id of a leftover is left alone', async () => {
  const file = join(await scratchFolder(), 'processes');
  const other = await sleeper();
  await writeFile(file, `${JSON.stringify({ pid: other.pid, command: 'node dist/main.js' })}\nhalf a li`);
  expect(await endLeftovers(file, { graceMs: 0 })).toBe(0);
  expect(other.kill('SIGCONT')).toBe(true);
});

test('what ends by itself in time is not killed', async () => {
  const file = join(await scratchFolder(), 'processes');
  const leaving = await sleeper();
  await remember(file, leaving.pid);
  leaving.kill('SIGTERM');
  expect(await endLeftovers(file)).toBe(0);
  expect(await leaving.exited).toEqual({ code: null, signal: 'SIGTERM' });
});
