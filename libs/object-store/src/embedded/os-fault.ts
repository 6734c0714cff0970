import { StoreFault } from '../store-fault.js';

/** The operating system's word for what went wrong (`ENOENT`), or undefined for any other error. */
export function osCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Runs the step; undefined when it fails with one of the codes. */
export async function unless<T>(codes: readonly string[], step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (codes.includes(osCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Marks what came from the caller's own body or signal, so that an ECONNRESET of an upload is not taken for one of the disk. */
export class FromCaller extends Error {
  constructor(error: unknown) {
    super('passed through', { cause: error });
  }
}

/** What a caller of the store sees of an error. The message names the operation and the code, never the path. */
export function asSeenOutside(operation: string, error: unknown): unknown {
  if (error instanceof FromCaller) return error.cause;
  const code = osCode(error);
  if (code === undefined) return error;
  if (code === 'ENAMETOOLONG') return new StoreFault('invalid', `${operation}: the key is too long for this file system`, { cause: error });
  return new StoreFault('unavailable', `${operation}: ${code}`, { cause: error });
}
