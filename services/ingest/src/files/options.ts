/** What to make of a photo, defaults filled in. */
export interface Options {
  /** Pixels, 1 to 16383. */
  readonly maxWidth: number;
  readonly maxHeight: number;
  /** WebP quality, 1 to 100. */
  readonly quality: number;
  /** WebP effort, 1 to 6. */
  readonly effort: number;
}

const limits = {
  maxWidth: { field: 'options.max_width', max: 16_383, byDefault: 1600 },
  maxHeight: { field: 'options.max_height', max: 16_383, byDefault: 1600 },
  quality: { field: 'options.quality', max: 100, byDefault: 80 },
  effort: { field: 'options.effort', max: 6, byDefault: 4 },
} as const;

/** 0 stands for the default everywhere. Lists every field that is out of range. */
export function optionsOf(asked: Options | undefined): { options: Options; violations: { field: string; description: string }[] } {
  const violations: { field: string; description: string }[] = [];
  const value = (key: keyof Options): number => {
    const { field, max, byDefault } = limits[key];
    const given = asked?.[key] ?? 0;
    if (given === 0) return byDefault;
    if (given < 1 || given > max) violations.push({ field, description: `must be 1 to ${max}, or 0 for ${byDefault}` });
    return given;
  };
  const options = { maxWidth: value('maxWidth'), maxHeight: value('maxHeight'), quality: value('quality'), effort: value('effort') };
  return { options, violations };
}

export const sameOptions = (a: Options, b: Options): boolean =>
  a.maxWidth === b.maxWidth && a.maxHeight === b.maxHeight && a.quality === b.quality && a.effort === b.effort;
