import { readFileSync } from 'node:fs';

/** The most memory that a process has held at once since it began, in bytes, as the kernel keeps it; undefined where there is no /proc. */
export function peakMemoryBytes(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
