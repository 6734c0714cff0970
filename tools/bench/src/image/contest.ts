import { fileURLToPath } from 'node:url';
import { startProcess } from '@leasehold/test-stack';
import { cpuSeconds, readySeconds } from './cpu-time.js';
import type { Producer } from './pipeline.js';
import { warmPhotos } from './spec.js';
import type { Stack } from './stack.js';
import { difference, perPhoto, usageOf, type Usage } from './usage.js';

export interface Measured {
  /** Photos a second. */
  readonly rate: number;
  /** CPU milliseconds a photo, where they can be told. */
  readonly cpuMs: number | undefined;
  readonly parts?: Usage;
  /** Share of the time in which the encoders worked or waited for a core, rather than for a photo. */
  readonly busy?: number | undefined;
}

/** A process of its own that makes the photos without the rest of Leasehold. */
export async function alone(mode: 'bare' | 'pool', encoders: number, paths: readonly string[]): Promise<Measured> {
  const program = fileURLToPath(new URL('./contender.js', import.meta.url));
  const running = await startProcess({ name: mode, args: [program, mode, String(encoders), ...paths], env: { UV_THREADPOOL_SIZE: String(encoders + 2) } });
  try {
    const timeoutMs = 600_000;
    await running.waitForEvent((event) => event['event'] === 'warm', { timeoutMs });
    const before = cpuSeconds(running.pid);
    const { seconds } = await running.waitForEvent((event) => event['event'] === 'measured', { timeoutMs });
    return { rate: paths.length / Number(seconds), cpuMs: difference(before, cpuSeconds(running.pid), paths.length) };
  } finally {
    running.kill('SIGKILL');
    await running.exited;
  }
}

/** All of Leasehold, with a worker of so many encoders. */
export async function whole(stack: Stack, producer: Producer, encoders: number, paths: readonly string[], o: { readonly uploads: boolean }): Promise<Measured> {
  await stack.startWorker(encoders);
  await producer.everything(paths.slice(0, warmPhotos(encoders)));
  const worker = stack.services.get('image-worker')?.pid ?? 0;
  const look = () => ({ usage: usageOf(stack), ready: readySeconds(worker) });
  let before = look();
  const seconds = o.uploads ? await producer.everything(paths) : await producer.withoutUploads(paths, () => { before = look(); });
  const after = look();
  const parts = perPhoto(before.usage, after.usage, paths.length);
  const busy = before.ready === undefined || after.ready === undefined ? undefined : Math.min(1, (after.ready - before.ready) / seconds / encoders);
  await stack.stopWorker();
  const known = [...parts.values()].filter((value) => value !== undefined);
  return { rate: paths.length / seconds, cpuMs: known.length === parts.size ? known.reduce((sum, value) => sum + value, 0) : undefined, parts, busy };
}
