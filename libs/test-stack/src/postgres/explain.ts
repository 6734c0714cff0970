import { StackFault } from '../stack-fault.js';

/** One clear line from an error, or from what a PostgreSQL program printed before it gave up. */
export function explain(problem: unknown, doing: string): StackFault {
  if (problem instanceof StackFault) return problem;
  const text = typeof problem === 'string' ? problem : textOf(problem);
  const cause = typeof problem === 'string' ? undefined : { cause: problem };
  if (/No space left on device|ENOSPC|Disk quota exceeded|EDQUOT/.test(text)) return new StackFault(`disk full while ${doing}: free some space and start again`, cause);
  return new StackFault(`${doing} failed: ${decisive(text)}`, cause);
}

/** Whether PostgreSQL gave up because somebody else has the port. */
export const portIsTaken = (log: string): boolean => /could not bind [^\n]*: Address already in use/.test(log);

/** Whether another server was quicker to take the data directory. */
export const directoryIsTaken = (log: string): boolean => /lock file "postmaster\.pid" already exists/.test(log);

/** Whether backends of a killed server still hold its memory; they leave as soon as they notice. */
export const memoryIsInUse = (log: string): boolean => /pre-existing shared memory block [^\n]* is still in use/.test(log);

// The first FATAL or PANIC names the cause; what follows it are consequences.
function decisive(text: string): string {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  const fatal = lines.find((line) => /\b(FATAL|PANIC)\b/.test(line)) ?? lines.find((line) => /\berror:/i.test(line));
  return fatal?.replace(/^.*?\b(FATAL|PANIC):\s*/, '') ?? lines.at(-1) ?? 'it said nothing';
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';
  return stderr.trim() === '' ? error.message : stderr;
}
