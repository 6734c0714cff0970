import { ImportState, type Import } from '@leasehold/client';
import prettyBytes from 'pretty-bytes';

/** Answers what to say of each change that is worth a line: another attempt or stage, a further fifth, the end. */
export function progressLines(): (now: Import) => { readonly attempt: string; readonly text: string } | undefined {
  let [attempt, stage, told] = [0, '', 0];
  return ({ state, progress, result }) => {
    if (result !== undefined) return { attempt: attemptOf(attempt), text: `${result.rows.toLocaleString('en')} rows; ${result.duplicateRows.toLocaleString('en')} of them name a SKU again and were summed` };
    if (state !== ImportState.PROCESSING || progress === undefined || progress.stage === '') return undefined;
    const isNew = progress.attempt !== attempt || progress.stage !== stage || progress.percent >= told + 20;
    if (!isNew) return undefined;
    [attempt, stage, told] = [progress.attempt, progress.stage, progress.percent];
    return { attempt: attemptOf(attempt), text: progress.rows === 0n ? stage : `${stage.padEnd(8)}  ${progress.rows.toLocaleString('en').padStart(7)} rows  ${prettyBytes(Number(progress.bytes))} of ${prettyBytes(Number(progress.bytesTotal))}` };
  };
}

const attemptOf = (attempt: number): string => (attempt === 0 ? '' : `attempt ${attempt}`);
