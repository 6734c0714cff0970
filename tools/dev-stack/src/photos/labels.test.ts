import { expect, test } from 'vitest';
import { labelled, resultNames } from './labels.js';

test('photos of one name are told apart, and none overwrites the result of another', () => {
  const photos = labelled(['/a/sea.jpg', '/b/sea.jpg', '/b/SEA.png', '/c/hill.jpg']);
  expect(photos.map(({ label }) => label)).toEqual(['sea.jpg', 'sea.jpg (2)', 'SEA.png', 'hill.jpg']);
  expect([...resultNames(photos).values()]).toEqual(['sea.webp', 'sea-2.webp', 'SEA-3.webp', 'hill.webp']);
});
