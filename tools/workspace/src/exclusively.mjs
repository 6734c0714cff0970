import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Does the work while no other process of this machine does any under the same lock file: two installations at once in one clone
 * would tear each other's files away. A lock whose process is gone is taken over.
 * @param {string} lock a path; its folder is made
 * @param {() => Promise<void>} work
 */
export async function exclusively(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  for (let told = false; !take(lock); told = true) {
    if (!told) console.log('Waiting for another run that prepares this clone ...');
    await wait(200);
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** @param {string} lock @returns {boolean} */
function take(lock) {
  // Linked, not written in place: a lock is never seen without its content.
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, `${process.pid}`);
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
  }
  if (isAlive(Number(contents(lock)))) return false;
  rmSync(lock, { force: true });
  return take(lock);
}

/** @param {string} lock what it holds; empty when it went away just now */
function contents(lock) {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : undefined);
