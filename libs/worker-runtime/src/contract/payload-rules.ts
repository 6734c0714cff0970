import { UnreadableContract } from '../run/job-fault.js';

/**
 * For a codec's `decode`: what `read` makes of the payload.
 * @throws UnreadableContract for bytes that are no such message: another build may know better
 */
export function readPayload<Message>(payload: Uint8Array, message: { readonly decode: (payload: Uint8Array) => Message }, name: string): Message {
  try {
    return message.decode(payload);
  } catch (cause) {
    throw new UnreadableContract(`the payload is no ${name}`, { cause });
  }
}

/** @throws UnreadableContract for a value outside of its range, both ends included */
export function requireWithin(field: string, value: number, least: number, most: number): void {
  if (!(value >= least && value <= most)) throw new UnreadableContract(`${field} is ${value}, not ${least} to ${most}`);
}

/** One version of one object in the object store. */
export interface SourceVersion {
  readonly key: string;
  readonly versionId: string;
  /** 0 or more. */
  readonly sizeBytes: number;
  /** 32 bytes; undefined when nobody computed it. */
  readonly sha256: Buffer | undefined;
}

/**
 * What a payload's SourceObject names.
 * @throws UnreadableContract for one that names no version, or says what no object can be
 */
export function sourceVersionOf(source: { readonly key: string; readonly versionId: string; readonly sizeBytes: bigint; readonly sha256: Buffer } | undefined): SourceVersion {
  if (source === undefined) throw new UnreadableContract('source is not set');
  const { key, versionId, sha256 } = source;
  if (key === '' || versionId === '') throw new UnreadableContract('source names no version');
  requireWithin('source.sha256', sha256.length, sha256.length === 0 ? 0 : 32, 32);
  const sizeBytes = Number(source.sizeBytes);
  requireWithin('source.size_bytes', sizeBytes, 0, Number.MAX_SAFE_INTEGER);
  return { key, versionId, sizeBytes, sha256: sha256.length === 0 ? undefined : sha256 };
}
