import type { LogEvent, ServiceProcess } from '@leasehold/test-stack';

/** Why a process ended, in a few words: what its last serious log line says, or else what it printed last. */
export function endReason(process: ServiceProcess): string {
  const serious = process.events().toReversed().find(({ level }) => level === 'fatal') ?? process.events().toReversed().find(({ level }) => level === 'error');
  if (serious !== undefined) return oneLine(messageOf(serious));
  const text = process.tail().split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  return text.length === 0 ? 'it said nothing' : oneLine(text.join(' '));
}

function messageOf({ err, msg }: LogEvent): string {
  if (typeof err === 'object' && err !== null && 'message' in err && typeof err.message === 'string') return err.message;
  return typeof msg === 'string' ? msg : 'it gave no reason';
}

/** Whether it could not listen because another program was quicker to take its port. */
export const portWasTaken = (process: ServiceProcess): boolean => /EADDRINUSE|No address added/.test(process.tail());

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
};
