import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StackFault, codeOf } from '../stack-fault.js';

/** The user that PostgreSQL runs as. `switches`: this process is root and hands its rights over when it spawns. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly switches: boolean;
}

const execute = promisify(execFile);

/** Environment and rights of every PostgreSQL program. None of the caller's PG* variables or locale reaches it. */
export function spawnOptionsOf(account: Account): { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
  // The caller's working folder may be closed to the account, and initdb refuses to start in such a one.
  const options = { cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
  return account.switches ? { ...options, uid: account.uid, gid: account.gid } : options;
}

/** Runs a program to its end as the account; answers its standard output. Rejects with execFile's error. */
export async function runAs(account: Account, file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute(file, args, { ...spawnOptionsOf(account), maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** Whether the account may enter a folder, as the kernel sees it. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  try {
    await runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder]);
    return true;
  } catch {
    return false;
  }
}

/** Unprivileged users of a passwd file, best first: `nobody` and `daemon` own nothing of value; then any other in the file's order. */
export function unprivilegedUsers(passwd: string): Account[] {
  const users = passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    const account = { name: name ?? '', uid: Number(uid), gid: Number(gid), switches: true };
    return uid !== undefined && gid !== undefined && account.uid > 0 && account.gid > 0 ? [account] : [];
  });
  const rank = ({ name }: Account): number => (name === 'nobody' ? 0 : name === 'daemon' ? 1 : 2);
  return users.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Who runs the server: this user; for root, which PostgreSQL refuses, the owner of an existing data directory, or else an existing
 * unprivileged user. No user is ever created.
 */
export async function accountFor(dataDir: string | undefined, passwdFile = '/etc/passwd'): Promise<Account> {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined) throw new StackFault(`PostgreSQL is started on Linux and macOS only, not on ${process.platform}`);
  if (uid !== 0) return { name: `uid ${uid}`, uid, gid, switches: false };
  const owner = dataDir === undefined ? undefined : await stat(dataDir).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid, switches: true };
  const candidates = unprivilegedUsers(await readFile(passwdFile, 'utf8').catch(() => ''));
  if (candidates.length === 0) throw new StackFault(`no unprivileged user: PostgreSQL refuses to run as root and ${passwdFile} names no other user; run this as an ordinary user`);
  let refusal: unknown;
  for (const account of candidates.slice(0, 5)) {
    try {
      await runAs(account, '/bin/sh', ['-c', ':']);
      return account;
    } catch (error) {
      refusal = error; // A user namespace may map few users, or forbid the switch; another one can still work.
    }
  }
  throw new StackFault(`no unprivileged user: root may not switch to ${candidates[0]?.name} or another user here (${codeOf(refusal)}); run this as an ordinary user`, { cause: refusal });
}
