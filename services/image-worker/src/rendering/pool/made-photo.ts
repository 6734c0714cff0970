import { PhotoFault } from '../../reasons.js';
import type { MadePhoto, MadePicture, PictureOrder } from '../picture-order.js';
import { placeholderMost } from '../placeholder-size.js';
import type { Made } from './child-process.js';
import type { Announced } from './messages.js';

/**
 * What a child answered, as what was ordered: it has read a stranger's file, and may be in that stranger's hands.
 * Throws PhotoFault as the child says or, for anything else than the order, INTERNAL; a plain Error for the child's own surprises.
 */
export function photoOf(answer: Made, body: Buffer, order: PictureOrder): MadePhoto {
  switch (answer.kind) {
    case 'made':
      return { ...picturesOf(answer, body, order), source: answer.source };
    case 'refused':
      throw new PhotoFault(answer.reason, answer.message);
    case 'failed':
      throw new Error(`the child failed in a way that it did not foresee: ${answer.message}`);
  }
}

function picturesOf(answer: Made & { kind: 'made' }, body: Buffer, order: PictureOrder): Omit<MadePhoto, 'source'> {
  let at = 0;
  const taken = ({ sizeBytes, width, height, frames }: Announced): MadePicture => ({ bytes: body.subarray(at, (at += sizeBytes)), width, height, frames });
  const pictures = answer.pictures.map(taken);
  const placeholder = answer.placeholder === null ? undefined : taken(answer.placeholder);
  const whole = at === body.length && pictures.length === order.renditions.length && (placeholder !== undefined) === order.placeholder;
  if (!whole || (placeholder !== undefined && !isSmall(placeholder))) throw new PhotoFault('INTERNAL', 'the child made something else than was ordered');
  return { pictures, placeholder };
}

const isSmall = ({ bytes, width, height }: MadePicture): boolean => bytes.length <= placeholderMost.bytes && Math.max(width, height) <= placeholderMost.side;
