import { isReason, type Reason } from '../../reasons.js';
import type { PictureLimits } from '../limits.js';
import type { MadePicture, PictureOrder, SourceFacts } from '../picture-order.js';

/** To a child; the body is the source. */
export interface Order {
  readonly order: PictureOrder;
  readonly limits: PictureLimits;
}

/** A picture whose bytes stand in the body. */
export type Announced = Omit<MadePicture, 'bytes'> & { readonly sizeBytes: number };

/** From a child. It answers an order with `made` (the body is the pictures, one behind the other, the placeholder last), `refused` or `failed`; `judged` may come before. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'judged' }
  | { readonly kind: 'made'; readonly pictures: readonly Announced[]; readonly placeholder: Announced | null; readonly source: SourceFacts }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Looks closely: a child has read a stranger's file, and may be in that stranger's hands. Throws for anything that is no answer. */
export function answerOf(json: string): Answer {
  const fields = fieldsOf(JSON.parse(json));
  const kind = fields['kind'];
  switch (kind) {
    case 'ready':
    case 'judged':
      return { kind };
    case 'made':
      return { kind, pictures: list(fields, 'pictures').map(announced), placeholder: fields['placeholder'] === null ? null : announced(fields['placeholder']), source: factsOf(fieldsOf(fields['source'])) };
    case 'refused': {
      const reason = text(fields, 'reason');
      if (!isReason(reason)) throw new TypeError('no reason of the list');
      return { kind, reason, message: text(fields, 'message') };
    }
    case 'failed':
      return { kind, message: text(fields, 'message') };
    default:
      throw new TypeError('an answer of no known kind');
  }
}

const factsOf = (fields: Record<string, unknown>): SourceFacts =>
  ({ format: text(fields, 'format'), width: count(fields, 'width'), height: count(fields, 'height'), pages: count(fields, 'pages') });

function announced(value: unknown): Announced {
  const fields = fieldsOf(value);
  return { width: count(fields, 'width'), height: count(fields, 'height'), frames: count(fields, 'frames'), sizeBytes: count(fields, 'sizeBytes') };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('no object');
  return { ...value };
}

function text(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new TypeError(`${name} is no text`);
  return value.slice(0, 1000);
}

function list(fields: Record<string, unknown>, name: string): unknown[] {
  const value = fields[name];
  if (!Array.isArray(value)) throw new TypeError(`${name} is no list`);
  return value;
}

function count(fields: Record<string, unknown>, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1) throw new TypeError(`${name} is no number from 1`);
  return value;
}
