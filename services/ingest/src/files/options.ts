import { AnimationPolicy, RenditionFit, RenditionFormat, type RenditionOptions, type RenditionSpec as SpecMessage } from '@leasehold/ingest-v1';
import { onlyName, type PictureOrder, type RenditionSpec } from '../contract/picture-order.js';
import type * as model from '../contract/picture-order.js';

/** What CreateFile says of what to make. */
export interface Asked {
  readonly options: RenditionOptions | undefined;
  readonly renditions: readonly SpecMessage[];
  readonly wantsPlaceholder: boolean;
  readonly animation: AnimationPolicy;
}

export interface Violation {
  readonly field: string;
  readonly description: string;
}

const mostRenditions = 8;
const nameForm = /^[a-z][a-z0-9-]{0,31}$/;
const formats = new Map<RenditionFormat, model.RenditionFormat>([[RenditionFormat.UNSPECIFIED, 'webp'], [RenditionFormat.WEBP, 'webp'], [RenditionFormat.AVIF, 'avif'], [RenditionFormat.JPEG, 'jpeg']]);
const fits = new Map<RenditionFit, model.RenditionFit>([[RenditionFit.UNSPECIFIED, 'inside'], [RenditionFit.INSIDE, 'inside'], [RenditionFit.COVER, 'cover']]);
const policies = new Map<AnimationPolicy, model.AnimationPolicy>([
  [AnimationPolicy.UNSPECIFIED, 'first-frame'], [AnimationPolicy.FIRST_FRAME, 'first-frame'], [AnimationPolicy.KEEP, 'keep'], [AnimationPolicy.REFUSE, 'refuse'],
]);
const mostEffort = { webp: 6, avif: 9 } as const;

/** What to make, defaults filled in: 0 stands for the default everywhere. Lists every field that is out of range. */
export function picturesOf({ options, renditions, wantsPlaceholder, animation }: Asked): { pictures: PictureOrder; violations: Violation[] } {
  const violations: Violation[] = [];
  const check = new Fields(violations);
  if (options !== undefined && renditions.length > 0) violations.push({ field: 'options', description: 'not together with renditions, which say all of it' });
  if (renditions.length > mostRenditions) violations.push({ field: 'renditions', description: `must be at most ${mostRenditions}` });
  const names = renditions.map(({ name }) => name);
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) violations.push({ field: `renditions[${i}].name`, description: 'is the name of another one already' });
  });
  const [first = onePhoto(options, check), ...others] = renditions.slice(0, mostRenditions).map((spec, i) => specOf(spec, `renditions[${i}]`, check));
  return { pictures: { renditions: [first, ...others], placeholder: wantsPlaceholder, animation: check.word('animation', policies.get(animation), 'first-frame') }, violations };
}

const onePhoto = (asked: RenditionOptions | undefined, check: Fields): RenditionSpec => ({
  name: onlyName, format: 'webp', fit: 'inside',
  ...boxOf(asked, 'options', check),
  effort: check.number('options.effort', asked?.effort, mostEffort.webp, 4),
});

function specOf(asked: SpecMessage, at: string, check: Fields): RenditionSpec {
  if (!nameForm.test(asked.name)) check.fault(`${at}.name`, 'must be of the form [a-z][a-z0-9-]{0,31}');
  const format = check.word(`${at}.format`, formats.get(asked.format), 'webp');
  const fit = check.word(`${at}.fit`, fits.get(asked.fit), 'inside');
  return { name: asked.name, format, fit, ...boxOf(asked, at, check), effort: format === 'jpeg' ? 0 : check.number(`${at}.effort`, asked.effort, mostEffort[format], 4) };
}

const boxOf = (asked: Pick<RenditionOptions, 'maxWidth' | 'maxHeight' | 'quality'> | undefined, at: string, check: Fields): Pick<RenditionSpec, 'maxWidth' | 'maxHeight' | 'quality'> => ({
  maxWidth: check.number(`${at}.max_width`, asked?.maxWidth, 16_383, 1600),
  maxHeight: check.number(`${at}.max_height`, asked?.maxHeight, 16_383, 1600),
  quality: check.number(`${at}.quality`, asked?.quality, 100, 80),
});

/** Collects what is wrong, and goes on. */
class Fields {
  readonly #violations: Violation[];

  constructor(violations: Violation[]) {
    this.#violations = violations;
  }

  fault(field: string, description: string): void {
    this.#violations.push({ field, description });
  }

  number(field: string, given: number | undefined, max: number, byDefault: number): number {
    if (given === undefined || given === 0) return byDefault;
    if (given < 1 || given > max) this.fault(field, `must be 1 to ${max}, or 0 for ${byDefault}`);
    return given;
  }

  word<T>(field: string, meant: T | undefined, byDefault: T): T {
    if (meant === undefined) this.fault(field, 'must be one of the listed values');
    return meant ?? byDefault;
  }
}
