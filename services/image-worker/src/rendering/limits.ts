/** What a picture may be at most. Judged before a pixel is decoded (requirement F14). */
export interface PictureLimits {
  /** Of the file. */
  readonly maxBytes: number;
  /** Width times height, of one frame or page; of all frames where they are kept. */
  readonly maxPixels: number;
  /** Of either side. libvips keeps lines, so that a line of millions of pixels takes gigabytes, however few of them there are. */
  readonly maxSide: number;
  /** Frames or pages. Where only the first is decoded, each still costs time to find. */
  readonly maxFrames: number;
}

export const defaultLimits: PictureLimits = Object.freeze({ maxBytes: 64 * 1024 * 1024, maxPixels: 100_000_000, maxSide: 65_535, maxFrames: 1000 });
