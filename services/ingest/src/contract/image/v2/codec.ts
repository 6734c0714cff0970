import { AnimationPolicy, ImagePayload, ImageResult, RenditionFit, RenditionFormat } from '@leasehold/jobs-image-v2';
import { UnreadableResult } from '../../../jobs/contracts.js';
import { parseResult, sourceSize, wholeRendition, type ImageContract, type Placeholder } from '../../image-job.js';
import type * as model from '../../picture-order.js';

const formats = { webp: RenditionFormat.WEBP, avif: RenditionFormat.AVIF, jpeg: RenditionFormat.JPEG } as const satisfies Record<model.RenditionFormat, RenditionFormat>;
const fits = { inside: RenditionFit.INSIDE, cover: RenditionFit.COVER } as const satisfies Record<model.RenditionFit, RenditionFit>;
const policies = { 'first-frame': AnimationPolicy.FIRST_FRAME, keep: AnimationPolicy.KEEP, refuse: AnimationPolicy.REFUSE } as const satisfies Record<model.AnimationPolicy, AnimationPolicy>;

const most = { placeholderBytes: 1024, placeholderSide: 32 } as const;

/** image@2: several renditions in one job, a placeholder, and a policy for animation. */
export const imageV2: ImageContract = {
  version: 2,
  canSay: () => true,
  encode: (job) => {
    const { renditions, placeholder, animation } = job.pictures;
    const payload = ImagePayload.create({
      source: { key: job.sourceKey, versionId: job.versionId, sizeBytes: job.sizeBytes, sha256: job.sha256 },
      renditionPrefix: job.renditionPrefix,
      renditions: renditions.map((spec) => ({ ...spec, format: formats[spec.format], fit: fits[spec.fit] })),
      placeholder,
      animation: policies[animation],
    });
    return Buffer.from(ImagePayload.encode(payload).finish());
  },
  decode: (bytes) => {
    const { renditions, placeholder, source } = parseResult(ImageResult, bytes);
    const [first, ...others] = renditions.map(wholeRendition);
    if (first === undefined) throw new UnreadableResult('the result has no rendition');
    return { renditions: [first, ...others], placeholder: placeholder && smallPlaceholder(placeholder), ...sourceSize(source) };
  },
};

function smallPlaceholder({ webp, width, height }: Placeholder): Placeholder {
  const small = webp.length >= 1 && webp.length <= most.placeholderBytes && [width, height].every((side) => side >= 1 && side <= most.placeholderSide);
  if (!small) throw new UnreadableResult('the placeholder is none');
  return { webp, width, height };
}
