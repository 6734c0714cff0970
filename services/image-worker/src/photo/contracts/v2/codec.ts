import { AnimationPolicy, ImagePayload, ImageResult, RenditionFit, RenditionFormat, type RenditionSpec as SpecMessage } from '@leasehold/jobs-image-v2';
import { readPayload, requireWithin, sourceVersionOf, UnreadableContract, type ContractCodec } from '@leasehold/worker-runtime';
import type * as model from '../../../rendering/picture-order.js';
import type { PhotoMade, PhotoOrder } from '../../order.js';

/** Of a box, in pixels: the most that a WebP can hold. */
export const longestSide = 16_383;
const mostRenditions = 8;
const nameForm = /^[a-z][a-z0-9-]{0,31}$/;

const formats = new Map<RenditionFormat, model.RenditionFormat>([[RenditionFormat.WEBP, 'webp'], [RenditionFormat.AVIF, 'avif'], [RenditionFormat.JPEG, 'jpeg']]);
const fits = new Map<RenditionFit, model.RenditionSpec['fit']>([[RenditionFit.INSIDE, 'inside'], [RenditionFit.COVER, 'cover']]);
const policies = new Map<AnimationPolicy, model.AnimationPolicy>([[AnimationPolicy.FIRST_FRAME, 'first-frame'], [AnimationPolicy.KEEP, 'keep'], [AnimationPolicy.REFUSE, 'refuse']]);
const mostEffort = { webp: 6, avif: 9, jpeg: 2 ** 31 - 1 } as const;

/** Between image@2 on the wire and the model. */
export const contractV2: ContractCodec<PhotoOrder, PhotoMade> = {
  /** Throws UnreadableContract for bytes that are no image@2, and for values that image.proto rules out: another build may know better. */
  decode(payload) {
    const { source, renditionPrefix, renditions, placeholder, animation } = readPayload(payload, ImagePayload, 'ImagePayload');
    requireWithin('the number of renditions', renditions.length, 1, mostRenditions);
    const specs = renditions.map(specOf);
    if (new Set(specs.map(({ name }) => name)).size < specs.length) throw new UnreadableContract('two renditions have one name');
    return { source: sourceVersionOf(source), renditionPrefix, pictures: { renditions: specs, placeholder, animation: known('animation', policies.get(animation)) } };
  },

  encode({ renditions, placeholder, source }) {
    return ImageResult.encode(ImageResult.create({ renditions: renditions.map((made) => ({ ...made, sizeBytes: BigInt(made.sizeBytes) })), placeholder, source })).finish();
  },
};

function specOf({ name, format: formatNumber, maxWidth, maxHeight, fit: fitNumber, quality, effort }: SpecMessage): model.RenditionSpec {
  if (!nameForm.test(name)) throw new UnreadableContract('a rendition has a name that is none');
  const format = known(`${name}: format`, formats.get(formatNumber));
  const fit = known(`${name}: fit`, fits.get(fitNumber));
  requireWithin(`${name}: max_width`, maxWidth, 1, longestSide);
  requireWithin(`${name}: max_height`, maxHeight, 1, longestSide);
  requireWithin(`${name}: quality`, quality, 1, 100);
  requireWithin(`${name}: effort`, effort, 0, mostEffort[format]);
  return { name, format, maxWidth, maxHeight, fit, quality, effort };
}

function known<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new UnreadableContract(`${field} is not set, or to something that is not known here`);
  return value;
}
