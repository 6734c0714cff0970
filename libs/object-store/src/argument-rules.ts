import type { GetOptions, ObjectVersion } from './object-store.js';
import { StoreFault } from './store-fault.js';

// The rules of the port's arguments, here for every adapter: a key that one adapter takes must not fail on the next.

export const maxKeyBytes = 512;
export const maxContentTypeLength = 100;
export const maxExpiresInMs = 7 * 24 * 60 * 60 * 1000;

// Names as in RFC 6838, section 4.2; parameters without quoted strings.
const mediaType = /^[A-Za-z0-9][\w!#$&^.+-]*\/[A-Za-z0-9][\w!#$&^.+-]*(?:; ?[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/;

/** Throws `invalid` for a key that breaks the rules at ObjectStore. */
export function checkKey(key: string): void {
  checkText('key', key);
  if (key.length === 0) throw invalid('key must not be empty');
  for (const segment of key.split('/')) {
    if (segment === '') throw invalid('key must not have empty segments');
    if (segment === '.' || segment === '..') throw invalid('key must not have the segments . or ..');
  }
}

/** Throws `invalid` for a prefix that no key could start with by its length or characters. */
export function checkPrefix(prefix: string): void {
  checkText('prefix', prefix);
}

export function checkContentType(contentType: string): void {
  if (contentType.length > maxContentTypeLength || !mediaType.test(contentType)) {
    throw invalid(`contentType must be a media type of at most ${maxContentTypeLength} characters`);
  }
}

/** `least` is 0 for a put (which may store nothing) and 1 for a grant. */
export function checkMaxBytes(maxBytes: number | undefined, least: 0 | 1): void {
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes >= least)) {
    throw invalid(`maxBytes must be a whole number of at least ${least}`);
  }
}

/** Throws `too_large` for a version that is larger than its reader wants, or has room for. */
export function checkWanted({ sizeBytes }: ObjectVersion, { maxBytes, into }: GetOptions): void {
  const wanted = Math.min(maxBytes ?? Infinity, into?.byteLength ?? Infinity);
  if (sizeBytes > wanted) throw new StoreFault('too_large', `${sizeBytes} bytes are stored, at most ${wanted} are wanted`);
}

/** The exact size of an upload: unset, or 1 to its largest. */
export function checkSizeBytes(sizeBytes: number | undefined, maxBytes: number): void {
  if (sizeBytes !== undefined && !(Number.isSafeInteger(sizeBytes) && sizeBytes >= 1 && sizeBytes <= maxBytes)) {
    throw invalid('sizeBytes must be a whole number from 1 to maxBytes');
  }
}

export function checkExpiresInMs(expiresInMs: number): void {
  if (!Number.isSafeInteger(expiresInMs) || expiresInMs < 1 || expiresInMs > maxExpiresInMs) {
    throw invalid(`expiresInMs must be a whole number from 1 to ${maxExpiresInMs}`);
  }
}

function checkText(name: string, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > maxKeyBytes) throw invalid(`${name} must have at most ${maxKeyBytes} bytes of UTF-8`);
  if (bytes.includes(0)) throw invalid(`${name} must not hold NUL`);
  // A lone surrogate becomes U+FFFD in UTF-8, so two keys would become one.
  if (bytes.toString('utf8') !== text) throw invalid(`${name} must be well-formed Unicode`);
}

const invalid = (message: string): StoreFault => new StoreFault('invalid', message);
