import { expect, test } from 'vitest';
import { runPrefix } from './rendition-key.js';

const key = (prefix: string): string => runPrefix({ namespace: 'team-a', prefix, fence: 1764436800000001n });

test('a run\'s prefix holds its fence, all digits of it', () => {
  expect(key('renditions/team-a/f1/')).toBe('renditions/team-a/f1/1764436800000001/');
});

test.each([
  'renditions/team-b/f1/', 'renditions/team-ab/f1/', 'renditions/team-a/', 'renditions/team-a//', 'renditions/team-a/f1', 'renditions/team-a/../', 'renditions/team-a/./',
  'renditions/team-a/../team-b/', 'uploads/team-a/f1/', '/renditions/team-a/f1/', '',
])('a prefix outside of the job\'s namespace is refused: %j', (prefix) => {
  expect(() => key(prefix)).toThrow('rendition_prefix');
});
