/**
 * What can be wrong, as a closed set:
 * - `not_found`: no such version (or it is a delete marker, or the id is not one of this store's).
 * - `too_large`: more bytes than `maxBytes`. Nothing was stored.
 * - `invalid`: the caller's argument breaks a rule of the port. Repeating it cannot help.
 * - `damaged`: the stored bytes are not those that were recorded. Repeating it cannot help.
 * - `unversioned`: the store keeps no versions, so it must not be used.
 * - `unsupported`: this store was opened without what the call needs (signing).
 * - `unavailable`: the store did not answer, is full or refuses access. The only kind worth a retry. Of a write it says nothing:
 *   a version may have been stored all the same.
 */
export type StoreFaultKind = 'not_found' | 'too_large' | 'invalid' | 'damaged' | 'unversioned' | 'unsupported' | 'unavailable';

/**
 * Every failure of an object store but two, which pass through as they are: an abort rejects with the signal's reason, and a body
 * that throws while it is being stored rejects with what it threw. The message never holds a path or a URL; `cause` may.
 */
export class StoreFault extends Error {
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreFault';
    this.kind = kind;
  }
}
