import { cpuSeconds } from './cpu-time.js';
import type { Stack } from './stack.js';

/** CPU seconds so far, by the part that took them; undefined where they cannot be told. */
export type Usage = ReadonlyMap<string, number | undefined>;

/** What encodes: its CPU time is what a bare loop takes too. */
export const encodersPart = 'image-worker\'s children';

export function usageOf(stack: Stack): Usage {
  const { user, system } = process.cpuUsage();
  const used = new Map<string, number | undefined>([['client (this process)', (user + system) / 1e6], ['postgres', cpuSeconds(stack.postgres.pid)]]);
  for (const [name, { pid }] of stack.services) {
    if (name === 'image-worker') {
      const alone = cpuSeconds(pid, { alone: true });
      const all = cpuSeconds(pid);
      used.set('image-worker', alone);
      used.set(encodersPart, all === undefined || alone === undefined ? undefined : all - alone);
    } else used.set(name, cpuSeconds(pid));
  }
  return used;
}

/** CPU milliseconds a photo between two looks. */
export const perPhoto = (before: Usage, after: Usage, photos: number): Usage =>
  new Map([...after].map(([name, seconds]) => [name, difference(before.get(name), seconds, photos)]));

export const difference = (before: number | undefined, after: number | undefined, photos: number): number | undefined =>
  before === undefined || after === undefined ? undefined : ((after - before) * 1000) / photos;
