import { isAbsolute, relative } from 'node:path';

/** A path as people like to read it: from the working folder when it lies below that, else absolute. */
export function shownPath(path: string): string {
  const from = relative('', path);
  return from === '' ? '.' : from.startsWith('..') || isAbsolute(from) ? path : from;
}
