import { join } from 'node:path';

/**
 * How a key becomes directories. The key's UTF-8 bytes (kept as a string of one character per byte, so that comparing strings compares
 * bytes) are cut into parts, and each part names one directory:
 *
 * - `folder`: up to and with a slash: `photos/` is the directory `photos`; a part that is only a slash is `%2f`
 * - `continued`: 80 bytes without a slash, when more follow: the name ends with `+`. Cut by bytes and not by the encoded length:
 *   otherwise the keys below one directory would not be consecutive in key order
 * - `key`: what is left: the name ends with `=`; the versions lie in it
 *
 * Bytes other than `a-z 0-9 _ - .` are written `%xx`, and so is a leading dot: no name is `.` or `..`, and two keys stay apart on file
 * systems that fold case or normalise Unicode. At most 80 * 3 + 1 bytes a name; file systems take 255.
 */
export interface Part {
  readonly kind: 'folder' | 'continued' | 'key';
  /** One character per byte; a folder's includes its slash. */
  readonly bytes: string;
}

const maxPartBytes = 80;

export const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
export const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** The key's directory below `root`. Stays below it whatever the key is. */
export function keyDirectory(root: string, key: string): string {
  const { parts, rest } = cut(bytesOf(key));
  return directory(root, [...parts, { kind: 'key', bytes: rest }]);
}

export const directory = (root: string, parts: readonly Part[]): string => join(root, ...parts.map(directoryName));

/** Cuts off the parts that every key with this beginning shares. What is left is at most 80 bytes, without a slash. */
export function cut(bytes: string): { parts: Part[]; rest: string } {
  const parts: Part[] = [];
  let rest = bytes;
  for (;;) {
    const slash = rest.indexOf('/');
    if (slash >= 0 && slash < maxPartBytes) parts.push({ kind: 'folder', bytes: rest.slice(0, slash + 1) });
    else if (rest.length > maxPartBytes) parts.push({ kind: 'continued', bytes: rest.slice(0, maxPartBytes) });
    else return { parts, rest };
    rest = rest.slice(parts.at(-1)?.bytes.length);
  }
}

export function directoryName(part: Part): string {
  switch (part.kind) {
    case 'folder': return part.bytes === '/' ? '%2f' : escape(part.bytes.slice(0, -1));
    case 'continued': return `${escape(part.bytes)}+`;
    case 'key': return `${escape(part.bytes)}=`;
  }
}

/** The inverse of directoryName; undefined for names that it cannot give (files of the operating system, for one). */
export function partOf(name: string): Part | undefined {
  const part = read(name);
  return directoryName(part) === name ? part : undefined;
}

/** In key order: everything below the lesser part comes before everything below the greater. */
export function comparePartOrder(a: Part, b: Part): number {
  if (a.bytes !== b.bytes) return a.bytes < b.bytes ? -1 : 1;
  if (a.kind === b.kind) return 0;
  return a.kind === 'key' ? -1 : 1;
}

function read(name: string): Part {
  if (name === '%2f') return { kind: 'folder', bytes: '/' };
  if (name.endsWith('+')) return { kind: 'continued', bytes: unescape(name.slice(0, -1)) };
  if (name.endsWith('=')) return { kind: 'key', bytes: unescape(name.slice(0, -1)) };
  return { kind: 'folder', bytes: `${unescape(name)}/` };
}

const escape = (bytes: string): string =>
  bytes.replace(/^\.|[^a-z0-9_.-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

const unescape = (name: string): string =>
  name.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
