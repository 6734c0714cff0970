import { access, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StoreFault } from '../store-fault.js';
import { osCode, unless } from './os-fault.js';

// Each further try needs a sweep that removes a still empty directory between two system calls of ours.
const maxTries = 100;
// What making or entering a directory says while another process removes it or one above it.
const vanished = ['ENOENT', 'ENOTDIR', 'EEXIST'];

/**
 * Gives a file its place below `root`, whole or not at all, and returns once it would survive a power cut. `place` must put the file into
 * the directory in one atomic step; it is tried again when a sweep took the empty directory away just before.
 */
export async function placeInDirectory(root: string, target: string, place: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const placed = await unless(vanished, async () => {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await place();
      return true;
    });
    if (placed === true) break;
    if (tries === maxTries) throw new StoreFault('unavailable', 'the directory kept vanishing');
  }
  // All of them, also those that were there: another process may have made one and not synced it yet.
  const made = [root];
  for (let path = target; path !== root; path = dirname(path)) made.push(path);
  await Promise.all(made.map(syncDirectory));
}

/** Moves a finished, synced temporary file to its place. */
export async function publish(root: string, temporary: string, target: string, name: string): Promise<void> {
  await placeInDirectory(root, target, async () => {
    try {
      await rename(temporary, join(target, name));
    } catch (error) {
      // Either of the two may be what is missing; only a missing directory is worth another try.
      if (osCode(error) === 'ENOENT') await requireTemporary(temporary);
      throw error;
    }
  });
}

/** Puts an empty file in its place: creating one is atomic by itself. */
export async function publishEmpty(root: string, target: string, name: string): Promise<void> {
  await placeInDirectory(root, target, async () => {
    const handle = await open(join(target, name), 'wx', 0o600);
    await handle.close();
  });
}

/** Removes a file for good, and the directories that it leaves empty. Those that are missing already are no fault. */
export async function removeDurably(root: string, path: string): Promise<void> {
  await rm(path, { force: true });
  await syncDirectory(dirname(path));
  await removeEmptyDirectories(root, dirname(path));
}

/** Removes empty directories from `path` upwards, below `root`, and stops at the first that is not empty. */
export async function removeEmptyDirectories(root: string, path: string): Promise<void> {
  for (let empty = path; empty !== root; empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch (error) {
      const code = osCode(error);
      if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
      if (code !== 'ENOENT') throw error;
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  // A sweep may have deleted what was just published, and its directory with it: then nothing is left to keep.
  const handle = await unless(['ENOENT'], () => open(path, 'r'));
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function requireTemporary(path: string): Promise<void> {
  const found = await unless(['ENOENT'], async () => {
    await access(path);
    return true;
  });
  if (found !== true) throw new StoreFault('unavailable', `the temporary file ${basename(path)} was swept before it was published`);
}
