import Table from 'cli-table3';
import { faults } from './plan.js';
import type { Round } from './campaign.js';

const columns = [
  ['round', (r) => String(r.round)],
  ['photos', (r) => String(r.photos)],
  ['faults', (r) => String([...r.faults.values()].reduce((sum, count) => sum + count, 0))],
  ['retries', (r) => String(r.retries)],
  ['expired', (r) => String(r.expired)],
  ['refused', (r) => String(r.refused)],
  ['at rest after', (r) => `${(r.restMs / 1000).toFixed(1)} s`],
  ['violations', (r) => (r.violations.length === 0 ? 'none' : String(r.violations.length))],
] as const satisfies readonly (readonly [title: string, of: (round: Round) => string])[];

const line = (cells: readonly string[]): string => cells.map((cell, i) => cell.padStart(columns[i]?.[0].length ?? 0)).join('   ');

export const headOf = (): string => line(columns.map(([title]) => title));
export const rowOf = (round: Round): string => line(columns.map(([, of]) => of(round)));

/** How often each fault struck, and how to run the same again. */
export function summaryOf(rounds: readonly Round[], command: string): string {
  const table = new Table({ head: ['fault', 'times'], colAligns: ['left', 'right'], style: { head: [], border: [] } });
  for (const fault of faults) table.push([fault, String(rounds.reduce((sum, round) => sum + (round.faults.get(fault) ?? 0), 0))]);
  const violations = rounds.reduce((sum, round) => sum + round.violations.length, 0);
  return `${table.toString()}\n${violations === 0 ? 'everything held' : `${violations} violations`}; the same again: ${command}`;
}
