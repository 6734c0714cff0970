import type { MadeRendition, Placeholder } from '../contract/image-job.js';
import { isOnePhoto, onlyName, type PictureOrder, type RenditionSpec } from '../contract/picture-order.js';

// How a card's row keeps what to make and what was made: columns for one WebP, as every release reads them, and JSON beside them for what those cannot say.

/** Columns of `files` that hold the first rendition's options. */
export interface OptionColumns {
  readonly max_width: number;
  readonly max_height: number;
  readonly quality: number;
  readonly effort: number;
}

/** For insert.sql: max_width, max_height, quality, effort within the columns' bounds, and wanted. */
export function orderColumns(order: PictureOrder): [number, number, number, number, string | null] {
  const { maxWidth, maxHeight, quality, effort } = order.renditions[0];
  return [maxWidth, maxHeight, quality, Math.min(6, Math.max(1, effort)), isOnePhoto(order) ? null : JSON.stringify(order)];
}

/** The order of a row. */
export const orderOf = (row: OptionColumns & { readonly wanted: PictureOrder | null }): PictureOrder => row.wanted ?? { renditions: [photoOf(row)], placeholder: false, animation: 'first-frame' };

const photoOf = (row: OptionColumns): RenditionSpec =>
  ({ name: onlyName, format: 'webp', fit: 'inside', maxWidth: row.max_width, maxHeight: row.max_height, quality: row.quality, effort: row.effort });

/** What was made, as its column `made` has it. */
export interface MadeJson {
  readonly renditions: readonly (Omit<MadeRendition, 'sizeBytes' | 'sha256'> & { readonly sizeBytes: string; readonly sha256: string })[];
  readonly placeholder: { readonly webp: string; readonly width: number; readonly height: number } | null;
}

/** For apply-outcome.sql: null where the rendition columns say all of it. */
export function madeColumn({ renditions: [first, ...others], placeholder }: { readonly renditions: readonly [MadeRendition, ...MadeRendition[]]; readonly placeholder: Placeholder | undefined }): string | null {
  if (others.length === 0 && placeholder === undefined && first.name === onlyName && first.frames === 1) return null;
  const made: MadeJson = {
    renditions: [first, ...others].map((each) => ({ ...each, sizeBytes: String(each.sizeBytes), sha256: each.sha256.toString('hex') })),
    placeholder: placeholder === undefined ? null : { webp: placeholder.webp.toString('base64'), width: placeholder.width, height: placeholder.height },
  };
  return JSON.stringify(made);
}

/** What was made, of a row whose columns hold `first`. JSON of another outcome than those, which a release that does not know it has left there, does not count. */
export function madeOf(first: MadeRendition, made: MadeJson | null): { readonly renditions: readonly [MadeRendition, ...MadeRendition[]]; readonly placeholder: Placeholder | undefined } {
  const [named, ...others] = made?.renditions ?? [];
  if (made === null || named?.versionId !== first.versionId || named.key !== first.key) return { renditions: [first], placeholder: undefined };
  const { placeholder } = made;
  return { renditions: [renditionOf(named), ...others.map(renditionOf)], placeholder: placeholder === null ? undefined : { ...placeholder, webp: Buffer.from(placeholder.webp, 'base64') } };
}

const renditionOf = (json: MadeJson['renditions'][number]): MadeRendition => ({ ...json, sizeBytes: BigInt(json.sizeBytes), sha256: Buffer.from(json.sha256, 'hex') });
