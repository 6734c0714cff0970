import { access, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRedis, runningProcess, startProcess } from '@leasehold/test-stack';
import { execa } from 'execa';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { remember } from './data/leftovers.js';
import { scratchFolder } from './data/scratch-folder.fixture.js';
import { samples } from './samples/samples.js';
import { sampleShipment } from './shipment/sample-shipment.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const timeout = 120_000;

/** `npm start -- ...args --data data`, without npm. */
function start(data: string, ...args: string[]) {
  const running = execa('node', [main, ...args, '--data', data], { reject: false, all: true, cleanup: true, env: { INIT_CWD: undefined } });
  onTestFinished(async () => {
    running.kill('SIGTERM');
    await running;
  });
  let text = '';
  running.all.on('data', (chunk: Buffer) => { text += chunk.toString(); });
  /** Resolves once the output has it. */
  const says = (wanted: string): Promise<void> => expect.poll(() => text, { timeout: 60_000, interval: 20 }).toContain(wanted);
  return { running, says };
}

const marksOf = async (data: string): Promise<{ pid: number }[]> => (await readFile(join(data, 'processes'), 'utf8')).trim().split('\n').map((line): { pid: number } => JSON.parse(line));

async function expectNothingLeft(data: string): Promise<void> {
  const marks = await marksOf(data);
  expect(marks.length).toBeGreaterThan(5);
  for (const { pid } of marks) expect(await runningProcess(pid)).toBeUndefined();
  await expect(access(join(data, 'stack.lock'))).rejects.toThrow('ENOENT');
}

test('the samples become pictures and a frozen worker is refused, beside a taken port and a second start', { timeout }, async () => {
  const data = await scratchFolder();
  const other = createServer();
  await new Promise<void>((resolve) => void other.once('error', () => resolve()).listen(7432, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { running, says } = start(data, '--exit', '--failover', '--coordinators', '2');
  await says('PostgreSQL');
  const second = await start(data, '--exit').running;
  expect(second).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^leasehold: a stack runs on .* already \(process \d+\): .*$/) });

  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stderr }, stdout).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/note: port 7432 is taken: PostgreSQL listens on \d+ instead/);
  expect(stdout).toContain(`${samples.length} of ${samples.length} READY`);
  await expectPictures(join(data, 'results'));
  expect(stdout).toMatch((await findRedis()) === undefined ? /dispatched by PostgreSQL/ : /dispatched by BullMQ on Redis 127\.0\.0\.1:\d+/);
  expectOneShipment(stdout);
  const [, a, b] = /refused +LEASE_LOST: fence A (\d+) is superseded by fence B (\d+)/.exec(stdout) ?? [];
  expect(BigInt(b ?? 0)).toBeGreaterThan(BigInt(a ?? 0));
  expect(stdout).toMatch(new RegExp(`granted +fence A ${a} to process \\d+`));
  expect(stdout).toMatch(new RegExp(`served +renditions/default/failover-\\w+/${b}/photo\\.webp`));
  await expectNothingLeft(data);
});

test('what a killed run left blocks nothing, bad files are told, and Ctrl-C in mid-job leaves nothing', { timeout }, async () => {
  const data = await scratchFolder();
  await writeFile(join(data, 'stack.lock'), JSON.stringify({ pid: 2 ** 30, command: 'node main.js' }));
  const leftover = await startProcess({ name: 'leftover', args: ['-e', 'setInterval(() => {}, 1000)'] });
  leftover.kill('SIGSTOP');
  await remember(join(data, 'processes'), leftover.pid);
  const [notes, missing] = [join(data, 'notes.txt'), join(data, 'missing.jpg')];
  await writeFile(notes, 'no picture');
  const { running, says } = start(data, '--redis', 'none', notes, missing, ...(await manyPictures(data)));
  await says('UNSUPPORTED_FORMAT');
  running.kill('SIGINT');
  running.kill('SIGINT');
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stderr }, stdout).toEqual({ exitCode: 130, stderr: '' });
  expect(stdout).toContain('note: ended 1 process that an interrupted run had left');
  expect(stdout).toMatch(/notes\.txt +REJECTED .* UNSUPPORTED_FORMAT/);
  expect(stdout).toMatch(/missing\.jpg +UNREADABLE .* no such file/);
  expect(stdout).not.toContain('READY in');
  expect(stdout).toContain('Stopped workers, ingest, coordinators and PostgreSQL');
  expect(await leftover.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await expectNothingLeft(data);
});

/** Beside what the program itself judges: each number of its table is what the sample makes it. */
function expectOneShipment(stdout: string): void {
  const { gains, rows } = sampleShipment();
  expect(stdout).toMatch(new RegExp(`APPLIED +attempt 1 +[0-9.]+ s +${rows.toLocaleString('en')} rows`));
  const all = [...gains.values()].reduce((sum, gain) => sum + gain).toLocaleString('en');
  expect(stdout).toMatch(new RegExp(`all ${gains.size} +0 +${all} +\\+${all}\n`));
  expect(stdout).toMatch(/the same once more +APPLIED, the same import; stock unchanged at generation 1\n/);
  expect(stdout).toMatch(/another file, same id +refused with IMPORT_EXISTS; stock unchanged\n/);
  expect(stdout).toContain('The shipment was applied once');
}

async function expectPictures(results: string): Promise<void> {
  const names = await readdir(results);
  expect(names).toHaveLength(samples.length);
  for (const name of names) {
    const picture = sharp(join(results, name), { failOn: 'warning' });
    await picture.clone().stats();
    const { format, width, height } = await picture.metadata();
    expect({ name, format, longest: Math.max(width, height) }).toEqual({ name, format: 'webp', longest: name.startsWith('wheel') ? 480 : 1600 });
  }
}

/** So many that a job on them is under way for seconds on any machine. */
async function manyPictures(folder: string): Promise<string[]> {
  const picture = await sharp({ create: { width: 3000, height: 2000, channels: 3, background: '#2060a0' } }).jpeg().toBuffer();
  const paths = Array.from({ length: 40 * availableParallelism() }, (_, index) => join(folder, `picture-${index}.jpg`));
  await Promise.all(paths.map((path) => writeFile(path, picture)));
  return paths;
}
