import { page } from '../pages/page.js';
import type { Card } from './card.js';
import { namespaceIn } from './named.js';
import type { FileParts } from './parts.js';
import { states, type State } from './rules.js';
import { shown, type ShownCard } from './shown-card.js';

export interface ListFiles {
  readonly parent: string;
  /** 0 means 50; more than 500 means 500. */
  readonly pageSize: number;
  readonly pageToken: string;
  /** Empty: all but DELETED. */
  readonly states: readonly State[];
}

const sizes = { byDefault: 50, most: 500 };

/** A page, newest first. */
export async function listFiles(parts: FileParts, request: ListFiles): Promise<{ cards: ShownCard[]; nextPageToken: string }> {
  const namespace = namespaceIn(request.parent);
  const wanted = request.states.length > 0 ? [...new Set(request.states)] : states.filter((state) => state !== 'deleted');
  const { items, nextPageToken } = await page(
    { tokens: parts.pageTokens, list: ['files', namespace, wanted.toSorted()], request, sizes, positionOf: ({ seq }: Card) => String(seq) },
    (after, limit) => parts.records.list(namespace, wanted, after === undefined ? undefined : BigInt(after), limit),
  );
  return { cards: await Promise.all(items.map((card) => shown(card, parts))), nextPageToken };
}
