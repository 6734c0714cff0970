import type { RenditionSpec } from './picture-order.js';

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

type Box = Pick<RenditionSpec, 'maxWidth' | 'maxHeight' | 'fit'>;

const atLeastOne = (pixels: number): number => Math.max(1, Math.round(pixels));

/**
 * The size of a rendition of a picture. `inside` keeps the picture's proportions, `cover` the box's; nothing is ever enlarged, so that a picture that a
 * covering box reaches beyond gives a smaller one of the box's proportions. Each side is at least 1.
 */
export function targetSize({ width, height }: Size, { maxWidth, maxHeight, fit }: Box): Size {
  const [across, down] = [width / maxWidth, height / maxHeight];
  if (fit === 'inside') {
    const shrink = Math.max(1, across, down);
    return { width: atLeastOne(width / shrink), height: atLeastOne(height / shrink) };
  }
  const boxShrink = Math.max(1, 1 / across, 1 / down);
  return { width: Math.min(width, atLeastOne(maxWidth / boxShrink)), height: Math.min(height, atLeastOne(maxHeight / boxShrink)) };
}

/** The smallest size of a picture of which all of the boxes can be filled as well as of the picture itself. */
export function sufficientSize(picture: Size, boxes: readonly Box[]): Size {
  const scales = boxes.map((box) => {
    const target = targetSize(picture, box);
    return Math.max(target.width / picture.width, target.height / picture.height);
  });
  const scale = Math.min(1, Math.max(...scales));
  return { width: Math.min(picture.width, Math.max(1, Math.ceil(picture.width * scale))), height: Math.min(picture.height, Math.max(1, Math.ceil(picture.height * scale))) };
}
