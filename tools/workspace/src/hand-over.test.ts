import { execa } from 'execa';
import { expect, test } from 'vitest';

const module = new URL('hand-over.mjs', import.meta.url).href;
const start = (code: string) =>
  execa({ reject: false, stdin: 'pipe' })('node', ['--input-type=module', '--eval', `
    import { handOver } from '${module}';
    process.exitCode = await handOver('--eval', [process.argv[1], 'an argument']);`, code]);

test('input, output, arguments and exit code are the program’s own', async () => {
  const running = start(`process.stdin.on('data', (text) => { console.log(String(text), process.argv[1]); process.exit(7); });`);
  running.stdin.end('typed');
  expect(await running).toMatchObject({ exitCode: 7, stdout: 'typed an argument' });
});

test.for(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s reaches the program once, which ends in its own time', async (signal) => {
  const running = start(`let count = 0; process.on('${signal}', () => { count += 1; setTimeout(() => { console.log('heard', count); process.exit(3); }, 50); }); setInterval(() => {}, 1000); console.log('ready');`);
  await new Promise<void>((resolve) => running.stdout.once('data', () => resolve()));
  running.kill(signal);
  expect(await running).toMatchObject({ exitCode: 3, stdout: 'ready\nheard 1' });
});

test('a program that a signal ended is told as shells tell it', async () => {
  expect(await start(`process.kill(process.pid, 'SIGKILL');`)).toMatchObject({ exitCode: 137 });
});
