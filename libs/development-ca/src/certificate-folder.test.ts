import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Authority, writeAuthority, writeCertificateFolder } from './index.js';

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'leasehold-ca-')); });
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('keys are for their owner only, and nothing is left besides the files', async () => {
  const authority = await Authority.create();
  await writeAuthority(folder, authority);
  const files = await writeCertificateFolder(join(folder, 'one'), await authority.issue({ hosts: ['localhost'] }), authority);
  expect([await modeOf(files.key), await modeOf(join(folder, 'ca-key.pem'))]).toEqual([0o600, 0o600]);
  expect((await readdir(join(folder, 'one'))).toSorted()).toEqual(['ca.pem', 'cert.pem', 'key.pem']);
  expect((await readdir(folder)).toSorted()).toEqual(['ca-key.pem', 'ca.pem', 'one']);
  expect(await readFile(files.ca, 'utf8')).toBe(authority.certificate);
});

test('nothing is overwritten unless a rotation asks for it', async () => {
  const authority = await Authority.create();
  await writeAuthority(folder, authority);
  await expect(writeAuthority(folder, await Authority.create())).rejects.toMatchObject({ code: 'EEXIST' });
  const [one, two] = [await authority.issue({}), await authority.issue({})];
  const files = await writeCertificateFolder(folder + '/one', one, authority);
  await expect(writeCertificateFolder(folder + '/one', two, authority)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(files.key, 'utf8')).toBe(one.key);
  await writeCertificateFolder(folder + '/one', two, authority, { replace: true });
  expect([await readFile(files.key, 'utf8'), await modeOf(files.key)]).toEqual([two.key, 0o600]);
  expect(await readFile(join(folder, 'ca.pem'), 'utf8')).toBe(authority.certificate);
});
