import { basename } from 'node:path';
import Table from 'cli-table3';
import prettyBytes from 'pretty-bytes';
import { seconds, type Colours } from '../terminal.js';
import type { PhotoResult, Size } from './photo.js';

const noLines = {
  top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '',
  left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ',
};

/** A table for people: columns, no frames. */
export const plainTable = (head: readonly string[], rows: readonly (readonly string[])[], colours: Colours): string => {
  const table = new Table({ head: head.map((word) => colours.dim(word)), chars: noLines, style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 } });
  for (const row of rows) table.push([...row]);
  return table.toString().split('\n').map((line) => `  ${line.trimEnd()}`).join('\n');
};

/**
 * What was made of each photo, and what it is called in the folder of results; below it what was not made, and why.
 * @param folder of the results, as people shall read it
 */
export function resultTable(results: readonly PhotoResult[], folder: string, colours: Colours): string {
  const made = results.flatMap(({ photo, end }) => (end.ready ? [[photo.label, shownSize(end.before), '→', shownSize(end.after), basename(end.file)]] : []));
  const notMade = results.flatMap(({ photo, end }) => (end.ready ? [] : [[photo.label, colours.red(end.word), [end.reason, end.explanation].filter((text) => text !== '').join(': ')]]));
  const tables = [
    made.length === 0 ? undefined : plainTable(['photo', 'before', '', 'after', `file in ${folder}`], made, colours),
    notMade.length === 0 ? undefined : plainTable(['not made', '', 'why'], notMade, colours),
  ];
  return tables.filter((table) => table !== undefined).join('\n\n');
}

const shownSize = ({ bytes, width, height }: Size): string => `${prettyBytes(bytes).padStart(8)} ${width}x${height}`;

/** One line about all of them. */
export function summary(results: readonly PhotoResult[], ms: number): string {
  const ready = results.filter(({ end }) => end.ready).length;
  const rate = ready === 0 ? '' : ` (${(ready / (ms / 1000)).toFixed(1)} images/s)`;
  const rest = results.length - ready;
  return `${ready} of ${results.length} READY in ${seconds(ms)}${rate}${rest === 0 ? '' : `; ${rest} not`}`;
}

export const allReady = (results: readonly PhotoResult[]): boolean => results.every(({ end }) => end.ready);
