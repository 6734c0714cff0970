import { v7 } from 'uuid';
import type { DeleteMarker, ObjectVersion } from '../object-store.js';

/**
 * A version is one file that holds the bytes and nothing else; what is known of it is its name, so that one rename publishes both, and a
 * listing opens no file: `<version id>.<size>.<SHA-256 in base64url>.<content type, with ~ for />`. A delete marker is the empty file
 * `<version id>.deleted`. Content types hold no tilde, and at most 100 characters: at most 198 bytes a name.
 */
export type Recorded = Omit<ObjectVersion, 'key' | 'sha256'> & { readonly sha256: Buffer } | Omit<DeleteMarker, 'key'>;

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** UUID version 7: sorts by the millisecond, and within one process strictly in the order of the calls. */
export const newVersionId = (): string => v7();

export const versionFileName = (versionId: string, o: { sizeBytes: number; sha256: Buffer; contentType: string }): string =>
  `${versionId}.${o.sizeBytes}.${o.sha256.toString('base64url')}.${o.contentType.replace('/', '~')}`;

export const markerFileName = (versionId: string): string => `${versionId}.deleted`;

/** What a file name records; undefined for a name that is none of the two above. */
export function recordedIn(name: string): Recorded | undefined {
  const [, versionId, rest] = /^([0-9a-f-]{36})\.(.*)$/.exec(name) ?? [];
  if (versionId === undefined || rest === undefined || !idPattern.test(versionId)) return undefined;
  const storedAt = storedAtOf(versionId);
  if (rest === 'deleted') return { versionId, storedAt, deleteMarker: true };
  const [, size, sha256, contentType] = /^(\d{1,16})\.([\w-]{43})\.(.+)$/.exec(rest) ?? [];
  if (size === undefined || sha256 === undefined || contentType === undefined) return undefined;
  return {
    versionId,
    sizeBytes: Number(size),
    sha256: Buffer.from(sha256, 'base64url'),
    contentType: contentType.replace('~', '/'),
    storedAt,
    deleteMarker: false,
  };
}

export const storedAtOf = (versionId: string): Date => new Date(Number.parseInt(versionId.slice(0, 8) + versionId.slice(9, 13), 16));

export const fileNameOf = (recorded: Recorded): string =>
  recorded.deleteMarker ? markerFileName(recorded.versionId) : versionFileName(recorded.versionId, recorded);
