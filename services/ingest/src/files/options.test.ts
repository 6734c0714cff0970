import { AnimationPolicy, RenditionFit, RenditionFormat, RenditionSpec } from '@leasehold/ingest-v1';
import { describe, expect, test } from 'vitest';
import { isOnePhoto } from '../contract/picture-order.js';
import { picturesOf, type Asked } from './options.js';

const asked = (over: Partial<Asked> = {}) => picturesOf({ options: undefined, renditions: [], wantsPlaceholder: false, animation: AnimationPolicy.UNSPECIFIED, ...over });
const options = (maxWidth: number, maxHeight: number, quality: number, effort: number) => asked({ options: { maxWidth, maxHeight, quality, effort } });
const fieldsOf = ({ violations }: ReturnType<typeof asked>): string[] => violations.map(({ field }) => field);
const spec = (over: Partial<RenditionSpec> = {}): RenditionSpec => RenditionSpec.create({ name: 'page', ...over });

describe('one WebP by options', () => {
  test('0 and nothing mean the defaults', () => {
    const photo = { name: 'photo', format: 'webp', fit: 'inside', maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 4 };
    expect(asked()).toEqual({ pictures: { renditions: [photo], placeholder: false, animation: 'first-frame' }, violations: [] });
    expect(options(0, 0, 0, 0)).toEqual(asked());
    expect(isOnePhoto(asked().pictures)).toBe(true);
  });

  test('the bounds themselves are taken', () => {
    expect(options(1, 16_383, 100, 1).violations).toEqual([]);
  });

  test('every field beyond its bounds is named', () => {
    expect(fieldsOf(options(16_384, -1, 101, 7))).toEqual(['options.max_width', 'options.max_height', 'options.quality', 'options.effort']);
  });
});

describe('renditions', () => {
  test('have defaults of their own, and JPEG no effort', () => {
    const { pictures, violations } = asked({ renditions: [spec(), spec({ name: 'card', format: RenditionFormat.JPEG, fit: RenditionFit.COVER, effort: 9 }), spec({ name: 'modern', format: RenditionFormat.AVIF, effort: 9 })], wantsPlaceholder: true, animation: AnimationPolicy.KEEP });
    expect(violations).toEqual([]);
    expect(pictures).toEqual({
      renditions: [
        { name: 'page', format: 'webp', fit: 'inside', maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 4 },
        { name: 'card', format: 'jpeg', fit: 'cover', maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 0 },
        { name: 'modern', format: 'avif', fit: 'inside', maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 9 },
      ],
      placeholder: true,
      animation: 'keep',
    });
  });

  test.each<[string, Partial<Asked>, string[]]>([
    ['beside options', { options: { maxWidth: 0, maxHeight: 0, quality: 0, effort: 0 }, renditions: [spec()] }, ['options']],
    ['nine', { renditions: Array.from({ length: 9 }, (_, i) => spec({ name: `r${i}` })) }, ['renditions']],
    ['a name twice', { renditions: [spec(), spec()] }, ['renditions[1].name']],
    ['no name', { renditions: [spec({ name: '' })] }, ['renditions[0].name']],
    ['a name that leads elsewhere', { renditions: [spec({ name: '../x' })] }, ['renditions[0].name']],
    ['a format of later', { renditions: [spec({ format: RenditionFormat.UNRECOGNIZED })] }, ['renditions[0].format']],
    ['a fit of later', { renditions: [spec({ fit: RenditionFit.UNRECOGNIZED })] }, ['renditions[0].fit']],
    ['too much effort', { renditions: [spec({ effort: 7 })] }, ['renditions[0].effort']],
    ['a policy of later', { animation: AnimationPolicy.UNRECOGNIZED }, ['animation']],
  ])('are refused with the field: %s', (_, over, fields) => {
    expect(fieldsOf(asked(over))).toEqual(fields);
  });
});
