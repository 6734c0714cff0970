import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, readFile, readdir, rename, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StackFault } from '@leasehold/test-stack';
import prettyBytes from 'pretty-bytes';

/** What the stack keeps between runs, and where. */
export interface DataFolder {
  readonly root: string;
  readonly postgres: string;
  readonly store: string;
  readonly redis: string;
  readonly logs: string;
  readonly samples: string;
  readonly results: string;
  readonly lock: string;
  /** What processes a run has started, for the one after it. */
  readonly processes: string;
  /** Present while the lease of kind image is shortened; holds its proper time. */
  readonly shortenedLease: string;
}

// A new database and the samples take about 90 MB; PostgreSQL's log of changes may grow beyond that.
const leastFreeBytes = 250_000_000;
// PostgreSQL takes 16 MiB at a time for its log of changes.
const fullBelowBytes = 20_000_000;

/** Makes the folder ready. Rejects with a StackFault of one line when it cannot be used. */
export async function openDataFolder(root: string): Promise<DataFolder> {
  const at = (name: string): string => join(root, name);
  const folder = {
    root, postgres: at('postgres'), store: at('store'), redis: at('redis'), logs: at('logs'), samples: at('samples'), results: at('results'),
    lock: at('stack.lock'), processes: at('processes'), shortenedLease: at('shortened-lease'),
  };
  try {
    // Open to all, as PostgreSQL may run as another user; what is secret in it is closed by itself.
    for (const path of [folder.logs, folder.samples, folder.results]) await mkdir(path, { recursive: true, mode: 0o755 });
    await access(root, constants.W_OK);
    const freeBytes = await freeBytesOf(root);
    if (freeBytes < leastFreeBytes) throw new StackFault(`the disk that holds ${root} is nearly full (${prettyBytes(freeBytes)} left, ${prettyBytes(leastFreeBytes)} needed): free some space, or choose another folder with --data`);
  } catch (error) {
    throw error instanceof StackFault ? error : new StackFault(`the data folder ${root} cannot be used (${codeOf(error)}): make it writable, or choose another one with --data`, { cause: error });
  }
  return folder;
}

/** A line about the disk when it is full: that is then what is behind all kinds of failures. */
export async function fullDisk(root: string): Promise<string | undefined> {
  const freeBytes = await freeBytesOf(root).catch(() => Infinity);
  return freeBytes < fullBelowBytes ? `the disk that holds ${root} is full (${prettyBytes(freeBytes)} left): free some space and start again` : undefined;
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** Keeps the logs of one earlier run, so that a crash can still be looked into after the next start. Only under the lock. */
export async function setLogsAside({ logs }: DataFolder): Promise<void> {
  for (const name of await readdir(logs)) {
    if (name.endsWith('.log') && !name.endsWith('.previous.log')) await rename(join(logs, name), join(logs, name.replace(/\.log$/, '.previous.log')));
  }
}

/** What signed URLs are signed with: made once, so that those given out survive a restart. Only under the lock. */
export async function signingSecret({ root }: DataFolder): Promise<string> {
  const path = join(root, 'signing-secret');
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept.length >= 32) return kept;
  const made = randomBytes(32).toString('base64url');
  await writeFile(path, made, { mode: 0o600 });
  return made;
}

/** The system's code of an error (ENOSPC, EACCES, ...), or its message. */
export const codeOf = (error: unknown): string => (error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.message) : String(error));
