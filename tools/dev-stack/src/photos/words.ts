import { seconds, type Colours } from '../terminal.js';
import type { PhotoResult, PhotoState } from './photo.js';

/** The width of the longest state, so that what follows stands in one column. */
const stateWidth = 'PROCESSING'.length;

const attemptOf = (attempt: number): string => (attempt === 0 ? '' : `attempt ${attempt}`);

/** `QUEUED      attempt 1`; without times or percentages, so that two of the same say the same. */
export const stateWords = ({ word, attempt, stage }: PhotoState): string => `${word.padEnd(stateWidth)}  ${attemptOf(attempt).padEnd(9)}  ${stage}`.trimEnd();

/** `READY       attempt 1     1.2 s`, or why not. */
export function endWords({ end, attempt, ms }: PhotoResult, colours: Colours): string {
  const word = end.ready ? 'READY' : end.word;
  const padded = word.padEnd(stateWidth);
  const line = `${end.ready ? colours.green(padded) : colours.red(padded)}  ${attemptOf(attempt).padEnd(9)}  ${seconds(ms).padStart(7)}`;
  return end.ready ? line : `${line}  ${end.reason}`;
}

/** Cut in the middle: beginnings and endings of file names tell most. */
export function fitted(label: string, width: number): string {
  if (label.length <= width) return label.padEnd(width);
  const tail = Math.floor((width - 1) / 2);
  return `${label.slice(0, width - 1 - tail)}…${label.slice(label.length - tail)}`;
}

/** The column of names: as wide as the longest, within reason. */
export const nameWidth = (labels: readonly string[]): number => Math.min(36, Math.max(...labels.map(({ length }) => length), 8));
