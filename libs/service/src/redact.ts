import { stdSerializers } from 'pino';

const hidden = '[redacted]';

// Compared without case, '_' and '-'. Besides these, whatever ends in one of the suffixes: uploadUrl, x-api-key, signing_secret.
const secretKeys = new Set(['authorization', 'proxyauthorization', 'cookie', 'setcookie', 'payload', 'result', 'connectionstring']);
const secretSuffix = /(?:token|url|uri|secret|password|passwd|credentials|privatekey|apikey|accesskey)$/;

// A log line is for reading. Whoever logs a socket by mistake gets this much of it.
const longestEntries = 500;
const deepest = 8;

/** Whether a field of this name must never be shown. */
export function isSecretKey(key: string): boolean {
  const name = key.toLowerCase().replaceAll(/[_-]/g, '');
  return secretKeys.has(name) || secretSuffix.test(name);
}

/**
 * A copy of a log entry's fields with every secret hidden, however deep it lies. Bytes are shown by their number only, and a bigint as
 * decimal text, since a JSON number would lose digits of a fence in most readers.
 */
export function redact(fields: object): Record<string, unknown> {
  const walk = new Walk();
  return walk.entries(fields, 0);
}

class Walk {
  #left = longestEntries;
  readonly #within = new Set<object>();

  entries(object: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    this.#within.add(object);
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined || typeof value === 'function') continue;
      copy[key] = isSecretKey(key) && value !== null ? hidden : this.#value(value, depth);
    }
    this.#within.delete(object);
    return copy;
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    if (this.#within.has(value)) return '[circular]';
    this.#left -= 1;
    if (depth >= deepest || this.#left < 0) return '[cut]';
    if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
    // The stack is the one thing worth its length; err.cause is folded into it by the serializer.
    if (value instanceof Error) return this.entries({ ...stdSerializers.err(value) }, depth + 1);
    if (Array.isArray(value)) return this.#list(value, depth);
    if (value instanceof Map) return this.entries(Object.fromEntries(value), depth + 1);
    if (value instanceof Set) return this.#list([...value], depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof URL) return hidden;
    return this.entries(value, depth + 1);
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    this.#within.add(list);
    const copy = list.map((item) => this.#value(item, depth + 1));
    this.#within.delete(list);
    return copy;
  }
}

const query = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>?#\\]*)[?#][^\s"'<>\\]*/gi;
const userinfo = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s"'<>/?#@\\]+@/gi;

/**
 * Hides what makes a URL inside running text secret: its query (signed URLs) and its user part (database passwords). Errors of libraries
 * like to quote URLs, and no field name gives those away.
 */
export function redactText(text: string): string {
  if (!text.includes('://')) return text;
  return text.replaceAll(query, `$1?${hidden}`).replaceAll(userinfo, `$1${hidden}@`);
}
