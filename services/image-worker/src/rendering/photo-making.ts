import type { PictureLimits } from './limits.js';
import { inspectPicture } from './picture.js';
import type { MadePhoto, PictureOrder } from './picture-order.js';
import { renderPictures } from './rendition.js';

export interface MakingOptions {
  readonly order: PictureOrder;
  readonly limits: PictureLimits;
  /** The file was judged by its header and is about to be decoded. */
  readonly onJudged?: () => void;
}

/** From a stranger's bytes to the pictures of an order. Throws PhotoFault; anything else is a surprise. */
export type MakePhoto = (bytes: Buffer, o: MakingOptions) => Promise<MadePhoto>;

/** Makes the pictures in this very process. Only a process that may crash, hang or fill its memory should call it: see pool/. */
export const makePhotoHere: MakePhoto = async (bytes, { order, limits, onJudged }) => {
  const picture = await inspectPicture(bytes, order, limits);
  onJudged?.();
  const { format, width, height, pages } = picture;
  return { ...(await renderPictures(picture, order, limits)), source: { format, width, height, pages } };
};
