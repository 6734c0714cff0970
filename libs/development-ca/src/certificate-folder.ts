import { randomUUID } from 'node:crypto';
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Authority, CertificateAndKey } from './authority.js';

/** The three files that a process is given; LEASEHOLD_TLS_CA, _CERT and _KEY name them. */
export interface CertificateFolder {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const PUBLIC = 0o644;
const SECRET = 0o600;

/**
 * Writes `ca.pem`, `cert.pem` and `key.pem` (mode 0600) into a folder, which is made if it is missing. Each file appears whole.
 * @param o.replace whether files that are there may be replaced, as a rotation does
 * @throws Error (code EEXIST) without `replace` when one of them is there
 */
export async function writeCertificateFolder(folder: string, issued: CertificateAndKey, authority: Pick<Authority, 'certificate'>, o: { replace?: boolean } = {}): Promise<CertificateFolder> {
  const paths = { ca: join(folder, 'ca.pem'), certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const write = o.replace === true ? replaceFile : writeNewFile;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  // The key first: a certificate without its key is of no use, and a folder that has no certificate is not taken for a finished one.
  await write(paths.key, issued.key, SECRET);
  await write(paths.certificate, issued.certificate, PUBLIC);
  await write(paths.ca, authority.certificate, PUBLIC);
  return paths;
}

/**
 * Writes `ca.pem` and `ca-key.pem` (mode 0600) into a folder, which is made if it is missing.
 * @throws Error (code EEXIST) when one of them is there
 */
export async function writeAuthority(folder: string, authority: Authority): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeNewFile(join(folder, 'ca-key.pem'), await authority.key(), SECRET);
  await writeNewFile(join(folder, 'ca.pem'), authority.certificate, PUBLIC);
}

async function writeNewFile(path: string, text: string, mode: number): Promise<void> {
  await through(path, text, mode, (temporary) => link(temporary, path));
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  await through(path, text, mode, (temporary) => rename(temporary, path));
}

/** By way of another name, so that nobody reads half a file, and so that a key is never there with another mode. */
async function through(path: string, text: string, mode: number, publish: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode, flag: 'wx' });
    await publish(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}
