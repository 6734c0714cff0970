/** Encodings that are written. */
export type RenditionFormat = 'webp' | 'avif' | 'jpeg';

/** One picture to make. */
export interface RenditionSpec {
  /** `[a-z][a-z0-9-]{0,31}`, unique within its order. */
  readonly name: string;
  readonly format: RenditionFormat;
  /** Pixels, 1 to 16383 (the most that WebP can hold). */
  readonly maxWidth: number;
  readonly maxHeight: number;
  /** `inside`: all of the picture, within the box, in its proportions. `cover`: the box's proportions, what reaches beyond is cut off, the middle stays. */
  readonly fit: 'inside' | 'cover';
  /** 1 to 100. */
  readonly quality: number;
  /** From fast to small: WebP 0 to 6, AVIF 0 to 9; not used for JPEG. */
  readonly effort: number;
}

/** What becomes of a source with several frames: its first as a still, all of them in WebP, or nothing at all. */
export type AnimationPolicy = 'first-frame' | 'keep' | 'refuse';

/** What to make of one source: all of it, or nothing. */
export interface PictureOrder {
  /** 1 to 8. */
  readonly renditions: readonly RenditionSpec[];
  readonly placeholder: boolean;
  readonly animation: AnimationPolicy;
}

/** An encoded picture. */
export interface MadePicture {
  readonly bytes: Buffer;
  /** Pixels of a frame, upright. */
  readonly width: number;
  readonly height: number;
  /** 1 for a still. */
  readonly frames: number;
}

/** What a source turned out to be. */
export interface SourceFacts {
  /** One of Format. */
  readonly format: string;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
  /** Frames or pages. */
  readonly pages: number;
}

/** What was made of one source. */
export interface MadePhoto {
  /** One per rendition of the order, in its order. */
  readonly pictures: readonly MadePicture[];
  /** WebP; there when it was ordered. */
  readonly placeholder: MadePicture | undefined;
  readonly source: SourceFacts;
}
