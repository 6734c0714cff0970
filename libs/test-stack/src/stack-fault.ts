/** A part of the stack could not be started or stopped. The message's first line says what is wrong and what to do. */
export class StackFault extends Error {
  override readonly name = 'StackFault';
}

/** The system's code of an error (ENOENT, EACCES, ...), or undefined. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
