import { median } from '../median.js';
import type { Measured } from './contest.js';
import { encodersPart, type Usage } from './usage.js';

export type Results = ReadonlyMap<string, readonly Measured[]>;

/** Prints medians, ratios to the first contender, and where the CPU time went. */
export function report(title: string, results: Results): void {
  console.log(`\n${title}`);
  for (const [name, all] of results) {
    const rates = all.map(({ rate }) => rate);
    const runs = all.length > 1 ? ` (runs ${rates.map((rate) => rate.toFixed(2)).join(' ')})` : '';
    console.log(`  ${name.padEnd(28)} ${median(rates).toFixed(2)} images/s   ratio ${ratioOf(results, name).toFixed(3)}   CPU a photo ${milliseconds(all.map((one) => one.cpuMs))}${runs}`);
  }
  for (const [name, all] of results) {
    const busy = all.map((one) => one.busy).filter((value) => value !== undefined);
    if (busy.length > 0) console.log(`  ${name}: encoders at work or waiting for a core, not for a photo, ${(median(busy) * 100).toFixed(0)} % of the time`);
    const parts = [...(all[0]?.parts?.keys() ?? [])];
    if (parts.length > 0) console.log(`  ${name}: ${parts.map((part) => `${part} ${milliseconds(all.map((one) => one.parts?.get(part)))}`).join(', ')}; beside encoding ${milliseconds(all.map(({ parts: used }) => besideEncoding(used)))}`);
  }
}

/** Of a contender to the first one, which ran right before it: the median over the runs, so that what changes between runs falls out. */
export function ratioOf(results: Results, name: string): number {
  const limits = [...results.values()][0] ?? [];
  return median((results.get(name) ?? []).map(({ rate }, run) => rate / (limits[run]?.rate ?? Number.NaN)));
}

/** What everything but the encoders took. */
function besideEncoding(parts: Usage | undefined): number | undefined {
  const others = [...(parts ?? [])].filter(([part]) => part !== encodersPart).map(([, ms]) => ms);
  return others.reduce<number | undefined>((sum, ms) => (sum === undefined || ms === undefined ? undefined : sum + ms), 0);
}

function milliseconds(all: readonly (number | undefined)[]): string {
  const known = all.filter((value) => value !== undefined);
  return known.length === 0 ? '?' : `${median(known).toFixed(0)} ms`;
}
