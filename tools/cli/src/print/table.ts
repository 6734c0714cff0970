import Table from 'cli-table3';

const lines = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'] as const;
const noLines = Object.fromEntries(lines.map((line) => [line, '']));

/** Columns without lines, so that what stands in them can be selected and piped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const made = new Table({ head: [...head], chars: noLines, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 } });
  made.push(...rows.map((row) => [...row]));
  return trimmed(made.toString());
}

/** Labels and what belongs to them; what is empty is left out. */
export function properties(rows: readonly (readonly [string, string])[]): string {
  const shown = rows.filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([label]) => label.length)) + 2;
  return shown.map(([label, value]) => `${label.padEnd(width)}${value}`).join('\n');
}

export const indented = (text: string, by = 2): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));

const trimmed = (text: string): string => text.replaceAll(/[ ]+$/gm, '');
