import { isReason, type Reason } from '../../reasons.js';
import type { PictureLimits } from '../limits.js';
import type { SourceFacts } from '../photo-making.js';
import type { RenditionSpec } from '../rendition.js';

/** To a child; the body is the picture. */
export interface Order {
  readonly spec: RenditionSpec;
  readonly limits: PictureLimits;
}

/** From a child. It answers an order with `made` (the body is the WebP), `refused` or `failed`; `judged` may come before. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'judged' }
  | { readonly kind: 'made'; readonly width: number; readonly height: number; readonly source: SourceFacts }
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
      return { kind, width: pixels(fields, 'width'), height: pixels(fields, 'height'), source: factsOf(fieldsOf(fields['source'])) };
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
  ({ format: text(fields, 'format'), width: pixels(fields, 'width'), height: pixels(fields, 'height'), pages: pixels(fields, 'pages') });

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new TypeError('no object');
  return { ...value };
}

function text(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new TypeError(`${name} is no text`);
  return value.slice(0, 1000);
}

function pixels(fields: Record<string, unknown>, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1) throw new TypeError(`${name} is no number of pixels`);
  return value;
}
