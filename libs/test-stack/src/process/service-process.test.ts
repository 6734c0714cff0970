import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { runningProcess } from '../postgres/process-table.js';
import { type ProcessOptions, type ServiceProcess, startProcess } from './service-process.js';

const started: ServiceProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL');
    await child.exited;
  }
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function start(script: string, o: Partial<ProcessOptions> = {}): Promise<ServiceProcess> {
  const child = await startProcess({ name: 'the service', args: ['-e', script], ...o });
  started.push(child);
  return child;
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'leasehold-process-'));
  folders.push(made);
  return made;
}

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const log = (...events: string[]): string => events.map((event) => `console.log(JSON.stringify({ event: '${event}' }));`).join('');
const forever = 'setInterval(() => {}, 1000);';
const is = (wanted: string) => ({ event }: { readonly event?: unknown }): boolean => event === wanted;

test('an event is found whether it was logged before or after the wait began', async () => {
  const child = await start(`${log('started')} process.on('SIGUSR2', () => { ${log('signalled')} }); ${log('ready')} ${forever}`);
  await child.waitForEvent(is('ready'));
  expect(await child.waitForEvent(is('started'))).toEqual({ event: 'started' });
  const later = child.waitForEvent(is('signalled'));
  child.kill('SIGUSR2');
  expect(await later).toEqual({ event: 'signalled' });
  expect(child.events().map(({ event }) => event)).toEqual(['started', 'ready', 'signalled']);
});

test('a wait for later events passes over earlier ones', async () => {
  const child = await start(`process.on('SIGUSR2', () => { ${log('tick')} }); ${log('tick')} ${forever}`);
  await child.waitForEvent(is('tick'));
  const after = child.eventCount();
  await expect(child.waitForEvent(is('tick'), { after, timeoutMs: 50 })).rejects.toThrow('the service did not log the expected event within 50 ms');
  child.kill('SIGUSR2');
  expect(await child.waitForEvent(is('tick'), { after })).toEqual({ event: 'tick' });
});

test('an early end is told at once, with the reason that was printed', async () => {
  const child = await start(`console.log('{ no json'); console.error('LEASEHOLD_GRPC_PORT must be a port'); process.exitCode = 78;`);
  await expect(child.waitForEvent(is('service_started'))).rejects.toThrow(/the service ended with exit code 78; its last lines:[^]*LEASEHOLD_GRPC_PORT must be a port/);
  expect(await child.exited).toEqual({ code: 78, signal: null });
});

test('a program that does not exist is one clear line', async () => {
  await expect(startProcess({ name: 'redis', command: '/no-such-program', args: [] })).rejects.toThrow('redis cannot be started: spawn /no-such-program ENOENT');
});

test('a stopped process stands still, continues, and ends in order', async () => {
  const child = await start(`process.on('SIGTERM', () => { ${log('ending')} process.exit(0); }); process.on('SIGUSR2', () => { ${log('moved')} }); ${log('ready')} ${forever}`);
  await child.waitForEvent(is('ready'));
  child.kill('SIGSTOP');
  child.kill('SIGUSR2');
  await expect(child.waitForEvent(is('moved'), { timeoutMs: 50 })).rejects.toThrow('within 50 ms');
  child.kill('SIGCONT');
  await child.waitForEvent(is('moved'));
  child.kill('SIGSTOP');
  expect(await child.stop()).toEqual({ code: 0, signal: null });
  expect(child.events().at(-1)).toEqual({ event: 'ending' });
  expect(await child.stop()).toEqual({ code: 0, signal: null });
  expect(child.kill('SIGKILL')).toBe(false);
});

test('a process that ignores SIGTERM is killed after the time it was given', async () => {
  const child = await start(`process.on('SIGTERM', () => {}); ${log('ready')} ${forever}`);
  await child.waitForEvent(is('ready'));
  expect(await child.stop({ timeoutMs: 50 })).toEqual({ code: null, signal: 'SIGKILL' });
});

test('what a process has started does not outlive it', async () => {
  const child = await start(`const { pid } = require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' }); console.log(JSON.stringify({ event: 'child', pid })); ${forever}`);
  const { pid } = await child.waitForEvent(is('child'));
  process.kill(child.pid, 'SIGKILL');
  expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await expect.poll(() => runningProcess(Number(pid))).toBeUndefined();
});

test('everything that a process prints is kept in its log file, over several runs', async () => {
  const logFile = join(await folder(), 'logs/service.log');
  for (const run of ['one', 'two']) await (await start(`console.log('out ${run}')`, { logFile })).exited;
  expect(await readFile(logFile, 'utf8')).toBe('out one\nout two\n');
});

test('the environment is passed on, changed and removed', async () => {
  const child = await start('console.log(JSON.stringify({ path: process.env.PATH !== undefined, set: process.env.LEASEHOLD_A, gone: process.env.HOME ?? null }))', { env: { LEASEHOLD_A: '1', HOME: undefined } });
  await child.exited;
  expect(child.events()).toEqual([{ path: true, set: '1', gone: null }]);
});

test('a killed parent ends the pipe of its child', async () => {
  const parent = await start('', { args: [fixture('holds-process.mjs'), fixture('observes-parent.mjs')] });
  const { pid } = await parent.waitForEvent(is('observer_started'));
  expect(await runningProcess(Number(pid))).toBeDefined();
  parent.kill('SIGKILL');
  await expect.poll(() => runningProcess(Number(pid)), { timeout: 5000 }).toBeUndefined();
});
