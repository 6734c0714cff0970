import { Fault } from '@leasehold/client';
import { StackFault } from '@leasehold/test-stack';

/** One clear line for what can go wrong; for what nobody thought of, where it came from. */
export function faultLine(error: unknown): string {
  if (error instanceof StackFault) return error.message;
  if (error instanceof Fault) return `${error.reason}: ${error.message}`;
  if (!(error instanceof Error)) return String(error);
  const text = `${'code' in error ? String(error.code) : ''} ${error.message}`;
  if (/ENOSPC|EDQUOT/.test(text)) return `the disk is full: free some space and start again (${error.message})`;
  if (/Could not load the "sharp" module/.test(text)) return `the picture library sharp is not installed for ${process.platform}-${process.arch}: run npm ci --include=optional in the clone`;
  if (/ERR_MODULE_NOT_FOUND|ERR_DLOPEN_FAILED/.test(text)) return `${error.message.split('\n')[0]}: run npm ci and npm run build in the clone`;
  return error.stack ?? error.message;
}
