import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { parseLine } from './captured-log.fixture.js';

const program = fileURLToPath(new URL('../dist/run-service.fixture.js', import.meta.url));

/** A real process of the fixture. Its output is read line by line; its standard input ends with `tell()`. */
class Running {
  readonly process: ChildProcess;
  readonly closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  output = '';
  errors = '';

  constructor(child: ChildProcess) {
    this.process = child;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => { this.output += chunk; });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => { this.errors += chunk; });
    this.closed = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }));
  }

  events(): string[] {
    return this.lines().map((line) => `${String(line['event'])}${typeof line['part'] === 'string' ? ` ${line['part']}` : ''}`);
  }

  lines(): Record<string, unknown>[] {
    return this.output.split('\n').slice(0, -1).map(parseLine);
  }

  line(event: string): Record<string, unknown> | undefined {
    return this.lines().find((line) => line['event'] === event);
  }

  async until(event: string): Promise<void> {
    await expect.poll(() => this.events(), { timeout: 15_000, interval: 10 }).toContain(event);
  }

  tell(): void {
    this.process.stdin?.end();
  }
}

const running: Running[] = [];
afterEach(async () => {
  for (const { process: child, closed } of running.splice(0)) {
    child.kill('SIGKILL');
    await closed;
  }
});

function run(scenario: string, env: NodeJS.ProcessEnv = {}): Running {
  const child = new Running(spawn(process.execPath, [program, scenario], { env: { PATH: process.env['PATH'], ...env }, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] }));
  running.push(child);
  return child;
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s stops a service once, in reverse order, with exit code 0', async (signal) => {
  const service = run('plain');
  await service.until('service_started');
  expect(service.line('service_started')).toMatchObject({ level: 'info', service: 'fixture', addresses: { http: expect.stringMatching(/^127\.0\.0\.1:\d+$/) } });
  service.process.kill(signal);
  expect(await service.closed).toEqual({ code: 0, signal: null });
  expect(service.events()).toEqual([
    'part_starting first', 'part_starting tested', 'service_started', 'service_stopping', 'before_stop', 'part_stopping tested', 'part_stopping first', 'service_stopped',
  ]);
  expect(service.line('service_stopping')).toMatchObject({ reason: signal });
  expect(service.errors).toBe('');
});

test('a second signal changes nothing: what is stopping goes on to its end', async () => {
  const service = run('stops-when-told');
  await service.until('service_started');
  service.process.kill('SIGTERM');
  await service.until('part_stopping tested');
  service.process.kill('SIGTERM');
  await service.until('stop_signal_ignored');
  service.process.kill('SIGINT');
  await expect.poll(() => service.events().filter((event) => event === 'stop_signal_ignored')).toHaveLength(2);
  service.tell();
  expect(await service.closed).toEqual({ code: 0, signal: null });
  expect(service.events().filter((event) => !event.startsWith('part_starting'))).toEqual([
    'service_started', 'service_stopping', 'before_stop', 'part_stopping tested', 'stop_signal_ignored', 'stop_signal_ignored', 'part_stopping first', 'service_stopped',
  ]);
});

describe('a stop that does not go well', () => {
  test('what hangs is named at the outer deadline, with exit code 1', async () => {
    const service = run('hangs', { FIXTURE_STOP_TIMEOUT: '200ms' });
    await service.until('service_started');
    service.process.kill('SIGTERM');
    expect(await service.closed).toEqual({ code: 1, signal: null });
    expect(service.line('service_stop_unclean')).toMatchObject({ level: 'fatal', hung: ['tested'], failed: [], msg: 'fixture did not stop cleanly: tested' });
  });

  test('what fails in stopping is named, the rest is stopped, and the exit code is 1', async () => {
    const service = run('fails-to-stop');
    await service.until('service_started');
    service.process.kill('SIGTERM');
    expect(await service.closed).toEqual({ code: 1, signal: null });
    expect(service.line('service_stop_unclean')).toMatchObject({ hung: [], failed: ['tested'], abandoned: [] });
  });
});

describe('the death of the parent', () => {
  test('the end of the pipe that LEASEHOLD_PARENT_FD names stops a service like SIGTERM, whatever was written into it', async () => {
    const service = run('plain', { LEASEHOLD_PARENT_FD: '3' });
    await service.until('service_started');
    const pipe = service.process.stdio[3];
    if (!(pipe instanceof Socket)) throw new TypeError('the pipe of the parent is missing');
    pipe.end('x'.repeat(300_000));
    expect(await service.closed).toEqual({ code: 0, signal: null });
    expect(service.line('service_stopping')).toMatchObject({ reason: 'parent_gone' });
  });

  test('the children of a service do not take the pipe of its parent for theirs', async () => {
    const service = run('plain', { LEASEHOLD_PARENT_FD: '3' });
    await service.until('service_started');
    service.process.kill('SIGTERM');
    await service.closed;
    expect(service.line('before_stop')).toMatchObject({ parent_fd: null });
  });

  test('a parent that is killed takes its service with it', async () => {
    // The service writes to this test's pipe, so that the pipe closes only when parent and service are both gone.
    const parent = `require('node:child_process').spawn(process.execPath, [${JSON.stringify(program)}, 'plain'],
      { env: { LEASEHOLD_PARENT_FD: '3' }, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] })`;
    const service = new Running(spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'pipe'] }));
    running.push(service);
    await service.until('service_started');
    service.process.kill('SIGKILL');
    expect(await service.closed).toEqual({ code: null, signal: 'SIGKILL' });
    expect(service.line('service_stopping')).toMatchObject({ reason: 'parent_gone' });
    expect(service.events().at(-1)).toBe('service_stopped');
  });

  test('a descriptor that is no open pipe is reported and does no harm', async () => {
    const service = run('plain', { LEASEHOLD_PARENT_FD: '999' });
    await service.until('service_started');
    expect(service.line('parent_pipe_missing')).toMatchObject({ level: 'warn', fd: 999 });
    service.process.kill('SIGTERM');
    expect((await service.closed).code).toBe(0);
  });
});

describe('a service that cannot start', () => {
  test('says on standard error which variables are wrong and what to set, and ends with exit code 78', async () => {
    const service = run('plain', { FIXTURE_STOP_TIMEOUT: 'soon', FIXTURE_PORT: '70000' });
    expect(await service.closed).toEqual({ code: 78, signal: null });
    expect(service.errors).toBe([
      'fixture cannot start: 2 environment variables are wrong',
      '  FIXTURE_STOP_TIMEOUT must be a length of time such as 500ms, 30s, 2m or 1h',
      '  FIXTURE_PORT must be a whole number from 0 to 65535',
      '',
    ].join('\n'));
    expect(service.output).toBe('');
  });

  test('refuses a log level that does not exist', async () => {
    const service = run('plain', { LEASEHOLD_LOG_LEVEL: 'loud' });
    expect(await service.closed).toEqual({ code: 78, signal: null });
    expect(service.errors).toContain('LEASEHOLD_LOG_LEVEL must be one of trace, debug, info');
  });

  test('because a component fails stops the others and ends with exit code 1', async () => {
    const service = run('fails-to-start');
    expect(await service.closed).toEqual({ code: 1, signal: null });
    expect(service.events()).toEqual([
      'part_starting first', 'part_starting tested', 'component_start_failed', 'part_stopping tested', 'part_stopping first', 'service_start_failed',
    ]);
    expect(service.line('service_start_failed')).toMatchObject({ level: 'fatal', err: { message: 'no port' } });
  });

  test('because it cannot be assembled ends with exit code 1', async () => {
    const service = run('fails-to-assemble');
    expect(await service.closed).toEqual({ code: 1, signal: null });
    expect(service.line('service_start_failed')).toMatchObject({ err: { message: 'no such thing' } });
  });
});

describe('a signal during the start', () => {
  test('while the service is assembled: nothing of it is started, exit code 0', async () => {
    const service = run('assembles-when-told');
    await service.until('assembling');
    service.process.kill('SIGTERM');
    await service.until('service_stopping');
    service.tell();
    expect(await service.closed).toEqual({ code: 0, signal: null });
    expect(service.events()).toEqual(['assembling', 'service_stopping', 'before_stop', 'part_stopping tested', 'part_stopping first', 'service_stopped']);
  });

  test('while the service is assembled and that never ends: exit code 1, and that is said', async () => {
    const service = run('never-assembles');
    await service.until('assembling');
    service.process.kill('SIGTERM');
    expect(await service.closed).toEqual({ code: 1, signal: null });
    expect(service.line('service_stop_unclean')).toMatchObject({ hung: ['main'] });
  });

  test('while a component starts: it is stopped after it has started, exit code 0', async () => {
    const service = run('starts-when-told');
    await service.until('part_starting tested');
    service.process.kill('SIGTERM');
    await service.until('before_stop');
    service.tell();
    expect(await service.closed).toEqual({ code: 0, signal: null });
    expect(service.events()).toEqual([
      'part_starting first', 'part_starting tested', 'service_stopping', 'before_stop', 'part_stopping tested', 'part_stopping first', 'service_stopped',
    ]);
  });
});

test.each(['throws', 'rejects'])('an uncaught error (one that %s) is logged without its secrets and ends the process at once with exit code 1', async (scenario) => {
  const service = run(scenario);
  await service.until('service_started');
  service.tell();
  expect(await service.closed).toEqual({ code: 1, signal: null });
  expect(service.lines().at(-1)).toMatchObject({ event: 'uncaught_error', level: 'fatal', err: { type: 'Error', message: expect.stringContaining('bug') } });
  expect(service.output).not.toContain('hunter2');
});
