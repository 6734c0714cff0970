import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, what /proc counts in on every Linux

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly seconds: number;
}

/** CPU seconds that a process, what it started, and what of that has ended already have taken (`alone`: without what it started and still runs); undefined where there is no /proc. */
export function cpuSeconds(root: number, o: { readonly alone?: boolean } = {}): number | undefined {
  const entries = processTable();
  if (entries.length === 0) return undefined;
  const tree = o.alone === true ? new Set([root]) : treeOf(root, entries);
  return entries.filter(({ pid }) => tree.has(pid)).reduce((sum, { seconds }) => sum + seconds, 0);
}

/**
 * Seconds in which threads of what a process has started ran, or could have run and waited for a core; undefined where the kernel does not tell. Unlike
 * CPU time it does not shrink when others use the machine too: what is missing was spent with nothing to do.
 */
export function readySeconds(root: number): number | undefined {
  try {
    const tree = treeOf(root, processTable());
    tree.delete(root);
    const threads = [...tree].flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`));
    return threads.reduce((sum, path) => {
      const [running = 0, waiting = 0] = readFileSync(path, 'latin1').split(' ').map(Number);
      return sum + (running + waiting) / 1e9;
    }, 0);
  } catch {
    return undefined;
  }
}

function treeOf(root: number, entries: readonly Entry[]): Set<number> {
  const tree = new Set([root]);
  // Children have larger numbers than their parents but for a wrap-around: a few rounds find them all.
  for (let before = 0; before < tree.size;) {
    before = tree.size;
    for (const { pid, parent } of entries) if (tree.has(parent)) tree.add(pid);
  }
  return tree;
}

function processTable(): Entry[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => entryOf(Number(name)));
  } catch {
    return [];
  }
}

function entryOf(pid: number): Entry[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the name, which may hold blanks and brackets: state, parent, ..., and as 12th to 15th utime, stime, cutime, cstime.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    return [{ pid, parent: fields[1] ?? 0, seconds: ticks / TICKS_PER_SECOND }];
  } catch {
    return []; // has just ended
  }
}
