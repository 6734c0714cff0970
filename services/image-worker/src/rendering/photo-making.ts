import type { PictureLimits } from './limits.js';
import { inspectPicture } from './picture.js';
import { renderWebp, type RenditionSpec, type WebpPhoto } from './rendition.js';

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

export interface MadePhoto {
  readonly photo: WebpPhoto;
  readonly source: SourceFacts;
}

export interface MakingOptions {
  readonly spec: RenditionSpec;
  readonly limits: PictureLimits;
  /** The file was judged by its header and is about to be decoded. */
  readonly onJudged?: () => void;
}

/** From a stranger's bytes to one WebP. Throws PhotoFault; anything else is a surprise. */
export type MakePhoto = (bytes: Buffer, o: MakingOptions) => Promise<MadePhoto>;

/** Makes the photo in this very process. Only a process that may crash, hang or fill its memory should call it: see pool/. */
export const makePhotoHere: MakePhoto = async (bytes, { spec, limits, onJudged }) => {
  const picture = await inspectPicture(bytes, limits);
  onJudged?.();
  const photo = await renderWebp(picture, spec, limits);
  const { format, width, height, pages } = picture;
  return { photo, source: { format, width, height, pages } };
};
