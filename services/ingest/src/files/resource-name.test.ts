import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jobIdOf, jobName } from '../jobs/job-name.js';
import { imageKind, isFileId, fileName, parseFileName, parseJobName, parseParent, parseRenditionKey, parseUploadKey, renditionPrefix, uploadKey } from './resource-name.js';

const id = fc.record({ namespace: fc.stringMatching(/^[a-z][a-z0-9-]{0,62}$/), fileId: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/) });

describe('names', () => {
  test('every name and key leads back to its file', () => {
    fc.assert(fc.property(id, fc.integer({ min: 1, max: 999_999_999 }), fc.bigInt(1n, 2n ** 63n - 1n), (file, generation, fence) => {
      expect(parseFileName(fileName(file))).toEqual(file);
      expect(parseJobName(jobName(imageKind, file.namespace, jobIdOf(file.fileId, generation)))).toEqual({ ...file, generation });
      expect(parseUploadKey(uploadKey(file))).toEqual(file);
      expect(parseRenditionKey(`${renditionPrefix(file)}${fence}/photo.webp`)).toEqual({ id: file, fence });
    }));
  });

  test('a job id fits what the coordinator takes', () => {
    fc.assert(fc.property(id, fc.integer({ min: 1, max: 999_999_999 }), (file, generation) => {
      expect(jobIdOf(file.fileId, generation)).toMatch(/^[A-Za-z0-9._~-]{1,128}$/);
    }));
  });

  test.each(['', 'files/a', 'namespaces/a', 'namespaces/a/files/', 'namespaces/A/files/a', 'namespaces/a/files/-a', 'namespaces/a/files/a/b', 'namespaces/a/files/a\n', `namespaces/a/files/${'a'.repeat(64)}`, 'namespaces/../files/a'])(
    'no file is named %j', (name) => {
      expect(parseFileName(name)).toBeUndefined();
    });

  test.each(['namespaces/-', 'namespaces/9a', 'namespaces/a/', 'namespaces/'])('no namespace is named %j', (parent) => {
    expect(parseParent(parent)).toBeUndefined();
  });

  test.each(['A', '-a', 'a.b', '', 'ä'])('%j is no file id', (text) => {
    expect(isFileId(text)).toBe(false);
  });

  test.each(['renditions/a/b/007/photo.webp', 'renditions/a/b/x/photo.webp', 'renditions/a/b/1/2/photo.webp', 'renditions/a/b/9223372036854775808/photo.webp'])('%s has no fence, and is the file’s all the same', (key) => {
    expect(parseRenditionKey(key)).toEqual({ id: { namespace: 'a', fileId: 'b' }, fence: undefined });
  });

  test.each(['renditions/a/b', 'uploads/a', 'uploads/a/b/c', 'other/a/b/1/photo.webp'])('%s is none of ours', (key) => {
    expect(parseRenditionKey(key)).toBeUndefined();
    expect(parseUploadKey(key)).toBeUndefined();
  });
});
