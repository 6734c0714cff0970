import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileNameOf, markerFileName, newVersionId, recordedIn, versionFileName } from './version-name.js';

const contentType = fc.constantFrom('image/webp', 'text/csv; charset=utf-8', 'application/vnd.a.b+json;v=1.0', `a/${'b'.repeat(98)}`);

test('what is recorded comes back from the file name, which fits a file system', () => {
  fc.assert(fc.property(fc.maxSafeNat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), contentType, (sizeBytes, digest, type) => {
    const versionId = newVersionId();
    const sha256 = Buffer.from(digest);
    const name = versionFileName(versionId, { sizeBytes, sha256, contentType: type });
    const recorded = recordedIn(name);
    expect(recorded).toMatchObject({ versionId, sizeBytes, sha256, contentType: type, deleteMarker: false });
    expect(recorded === undefined ? '' : fileNameOf(recorded)).toBe(name);
    expect(name.length).toBeLessThanOrEqual(255);
  }));
});

test('ids of one process sort in the order in which they were drawn, and tell when', () => {
  const before = Date.now();
  const ids = Array.from({ length: 1000 }, () => newVersionId());
  expect(ids.toSorted()).toEqual(ids);
  const storedAt = recordedIn(markerFileName(ids[0] ?? ''))?.storedAt.getTime() ?? 0;
  expect(storedAt).toBeGreaterThanOrEqual(before);
  expect(storedAt).toBeLessThanOrEqual(Date.now());
});

test('other names record nothing', () => {
  const id = newVersionId();
  for (const name of ['', '.', id, `${id}.`, `${id}.1`, `${id}.1.short.image~webp`, `${id.slice(1)}.deleted`, `${id}.deleted2`, `x${id}.deleted`]) {
    expect(recordedIn(name), name).toBeUndefined();
  }
});
