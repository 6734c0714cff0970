import { median } from '../median.js';
import type { Measured } from './contest.js';

/** Prints medians and ratios to the first contender, and where the CPU time went. */
export function report(title: string, results: ReadonlyMap<string, readonly Measured[]>): void {
  const rate = (all: readonly Measured[]): number => median(all.map((one) => one.rate));
  const limit = rate([...results.values()][0] ?? []);
  console.log(`\n${title}`);
  for (const [name, all] of results) {
    const ratios = all.length > 1 ? ` (runs ${all.map((one) => one.rate.toFixed(2)).join(' ')})` : '';
    console.log(`  ${name.padEnd(28)} ${rate(all).toFixed(2)} images/s   ratio ${(rate(all) / limit).toFixed(3)}   CPU a photo ${milliseconds(all.map((one) => one.cpuMs))}${ratios}`);
  }
  for (const [name, all] of results) {
    const parts = [...(all[0]?.parts?.keys() ?? [])];
    const busy = all.map((one) => one.busy).filter((value) => value !== undefined);
    if (busy.length > 0) console.log(`  ${name}: encoders at work or waiting for a core, not for a photo, ${(median(busy) * 100).toFixed(0)} % of the time`);
    if (parts.length > 0) console.log(`  ${name}: ${parts.map((part) => `${part} ${milliseconds(all.map((one) => one.parts?.get(part)))}`).join(', ')}`);
  }
}

function milliseconds(all: readonly (number | undefined)[]): string {
  const known = all.filter((value) => value !== undefined);
  return known.length === 0 ? '?' : `${median(known).toFixed(0)} ms`;
}
