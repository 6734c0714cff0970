import type { ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { entriesOf, nextKeyMarker } from './listing.js';

const second = new Date('2026-01-01T00:00:01Z');
const page = (o: Omit<ListObjectVersionsCommandOutput, '$metadata'>): ListObjectVersionsCommandOutput => ({ $metadata: {}, ...o });

test('versions and markers that come apart are merged by key, then newest first, the latest before others of its second', () => {
  const listed = entriesOf(page({
    Versions: [{ Key: 'a', VersionId: '2', LastModified: second, Size: 2, IsLatest: false }, { Key: 'a', VersionId: '1', LastModified: new Date(0), Size: 1, IsLatest: false }, { Key: '～', VersionId: '4', LastModified: second, Size: 1, IsLatest: true }],
    DeleteMarkers: [{ Key: 'a', VersionId: '3', LastModified: second, IsLatest: true }, { Key: '😀', VersionId: '5', LastModified: second, IsLatest: true }],
  }));
  expect(listed.map(({ key, versionId }) => key + versionId)).toEqual(['a3', 'a2', 'a1', '～4', '😀5']);
});

test.for([
  ['Amazon, which encodes keys and marker', 'a%2541', 'a%2541', 'a%41'],
  ['Ceph, which encodes keys only', 'a%2541', 'a%41', 'a%41'],
  ['a store that writes spaces as plus signs', 'a+b%2Bc', 'a+b%2Bc', 'a b+c'],
  ['a store whose marker is the first key of the next page', 'a', 'a%20b', 'a b'],
] as const)('%s: the next page begins behind the right key', ([, Key, NextKeyMarker, next]) => {
  const truncated = page({ EncodingType: 'url', NextKeyMarker, Versions: [{ Key, VersionId: '1', LastModified: second, Size: 1, IsLatest: true }] });
  expect(nextKeyMarker(truncated, entriesOf(truncated).at(-1)?.key)).toBe(next);
});

test('entries that lack what every listing has are a fault, not entries', () => {
  for (const entry of [{ VersionId: '1', LastModified: second, Size: 1 }, { Key: 'a', LastModified: second, Size: 1 }, { Key: 'a', VersionId: '1', Size: 1 }]) {
    expect(() => entriesOf(page({ Versions: [entry] }))).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  }
  expect(() => nextKeyMarker(page({ IsTruncated: true }), 'a')).toThrow(expect.objectContaining({ kind: 'unavailable' }));
});
