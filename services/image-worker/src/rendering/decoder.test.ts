import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { testFile } from '../testing/manifest.js';
import { readHeader } from './decoder.js';

describe('once the decoder is configured', () => {
  test.each(['img-svg-external-refs.svg', 'img-svg-huge-canvas.svg', 'img-svg-entity-expansion.svg'])('no loader but those of the six formats looks at a file: %s', async (file) => {
    await expect(readHeader(testFile(file))).rejects.toThrow('unsupported');
  });

  test('nothing in this process opens a picture by its path', async () => {
    await expect(sharp(fileURLToPath(new URL('../../testdata/img-1x1.png', import.meta.url))).metadata()).rejects.toThrow('unsupported');
  });

  test('a picture is decoded by one thread, and none is cached', () => {
    expect(sharp.concurrency()).toBe(1);
    expect(sharp.cache()).toMatchObject({ memory: { max: 0 }, items: { max: 0 } });
  });
});
