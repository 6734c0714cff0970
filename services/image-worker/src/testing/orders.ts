import type { MadePhoto, MadePicture, PictureOrder, RenditionSpec } from '../rendering/picture-order.js';

/** A rendition as version 1 asks for it, unless the test says otherwise. */
export const webp = (over: Partial<RenditionSpec> = {}): RenditionSpec =>
  ({ name: 'photo', format: 'webp', maxWidth: 320, maxHeight: 320, fit: 'inside', quality: 80, effort: 4, ...over });

/** An order of one WebP, as version 1 says it. */
export const onePhoto = (over: Partial<RenditionSpec> = {}): PictureOrder => orderOf([webp(over)]);

export const orderOf = (renditions: readonly RenditionSpec[], over: Partial<PictureOrder> = {}): PictureOrder =>
  ({ renditions, placeholder: false, animation: 'first-frame', ...over });

/** The first picture of what was made. */
export function first({ pictures: [picture] }: Pick<MadePhoto, 'pictures'>): MadePicture {
  if (picture === undefined) throw new Error('no picture was made');
  return picture;
}
