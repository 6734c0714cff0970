/** Encodings of renditions. */
export const renditionFormats = ['webp', 'avif', 'jpeg'] as const;
export type RenditionFormat = (typeof renditionFormats)[number];

/** `inside`: all of the picture, within the box. `cover`: the box's proportions, what reaches beyond is cut off. */
export const renditionFits = ['inside', 'cover'] as const;
export type RenditionFit = (typeof renditionFits)[number];

/** What becomes of a source with several frames. */
export const animationPolicies = ['first-frame', 'keep', 'refuse'] as const;
export type AnimationPolicy = (typeof animationPolicies)[number];

/** One picture to make, defaults filled in. */
export interface RenditionSpec {
  /** `[a-z][a-z0-9-]{0,31}`, unique within the order. */
  readonly name: string;
  readonly format: RenditionFormat;
  /** Pixels, 1 to 16383. */
  readonly maxWidth: number;
  readonly maxHeight: number;
  readonly fit: RenditionFit;
  /** 1 to 100. */
  readonly quality: number;
  /** WebP 1 to 6, AVIF 1 to 9; for JPEG 0, as it is not used. */
  readonly effort: number;
}

/** What to make of a photo: one model, whatever version of the contract carries it. */
export interface PictureOrder {
  readonly renditions: readonly [RenditionSpec, ...RenditionSpec[]];
  readonly placeholder: boolean;
  readonly animation: AnimationPolicy;
}

/** The one rendition of what version 1 can say. */
export const onlyName = 'photo';

/** What version 1 of the contract can say: one WebP named `photo`, within its box, of the first frame. */
export const isOnePhoto = ({ renditions: [first, ...others], placeholder, animation }: PictureOrder): boolean =>
  others.length === 0 && !placeholder && animation === 'first-frame' && first.name === onlyName && first.format === 'webp' && first.fit === 'inside';

/** Equal for two orders of the same. */
export const orderText = ({ renditions, placeholder, animation }: PictureOrder): string =>
  JSON.stringify([renditions.map(({ name, format, maxWidth, maxHeight, fit, quality, effort }) => [name, format, maxWidth, maxHeight, fit, quality, effort]), placeholder, animation]);
