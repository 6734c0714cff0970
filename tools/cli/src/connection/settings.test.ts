import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@leasehold/service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../index.js';
import { run } from '../testbed/run.fixture.js';
import { Usage } from '../terminal.js';
import { settingsOf } from './settings.js';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'leasehold-config-'));
  file = join(home, '.config', 'leasehold', 'config.json');
  await mkdir(join(home, '.config', 'leasehold'), { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

const write = (content: unknown): Promise<void> => writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));

test('without a word everything is on this machine, in plaintext', () => {
  expect(settingsOf({}, { HOME: home })).toEqual({ coordinators: ['127.0.0.1:7400'], ingest: ['127.0.0.1:7410'], tls: undefined });
});

test('flags come before the environment, the environment before the file, setting by setting', async () => {
  await write({ coordinators: ['file:1', 'file:2'], ingest: 'file:3', tls: { ca: 'ca.pem', cert: '/etc/cert.pem', key: 'key.pem' } });
  const folder = join(home, '.config', 'leasehold');
  const env = { HOME: home, LEASEHOLD_INGEST: 'environment:3', LEASEHOLD_TLS_KEY: 'environment.pem' };
  expect(settingsOf({}, env)).toEqual({ coordinators: ['file:1', 'file:2'], ingest: ['environment:3'], tls: { ca: join(folder, 'ca.pem'), certificate: '/etc/cert.pem', key: 'environment.pem' } });
  expect(settingsOf({ coordinator: 'flag:1', tlsKey: 'flag.pem' }, { ...env, LEASEHOLD_COORDINATORS: 'environment:1' })).toMatchObject({ coordinators: ['flag:1'], ingest: ['environment:3'], tls: { key: 'flag.pem' } });
});

test('the file is where XDG or a flag or a variable says, and one that is asked for must be there', async () => {
  await write({ coordinators: 'file:1' });
  expect(settingsOf({}, { XDG_CONFIG_HOME: join(home, '.config') }).coordinators).toEqual(['file:1']);
  expect(settingsOf({}, { HOME: '/nonexistent', LEASEHOLD_CONFIG: file }).coordinators).toEqual(['file:1']);
  expect(() => settingsOf({ config: join(home, 'none.json') }, { HOME: home, LEASEHOLD_CONFIG: file })).toThrow(Usage);
});

test.each([['{', 'is no JSON'], [{ coordinator: 'x:1' }, 'coordinator'], [{ tls: { ca: 1 } }, 'is no configuration'], [[], 'is no configuration']])('a file with %j is wrong usage, and says why', async (content, reason) => {
  await write(content);
  expect(await run(['queue', 'stats', '--config', file])).toMatchObject({ code: exitCodes.usage, out: '', err: expect.stringContaining(reason) });
});

test('an address that is none says where it may have come from, and plaintext stays on this machine', async () => {
  expect(() => settingsOf({ coordinator: 'nowhere' }, {})).toThrow(ConfigError);
  expect(await run(['queue', 'stats', '--coordinator', 'nowhere'])).toMatchObject({ code: exitCodes.usage, err: expect.stringMatching(/LEASEHOLD_COORDINATORS must be host:port: .*--coordinator or "coordinators" in the configuration file/) });
  expect(await run(['queue', 'stats', '--coordinator', 'db.example:7400'])).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('may only go to this machine') });
});
