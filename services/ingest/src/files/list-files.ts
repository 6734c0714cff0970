import { invalid } from '../faults.js';
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

const defaultPageSize = 50;
const maxPageSize = 500;

/** A page, newest first (AIP-158): by keyset, so that cards which come and go meanwhile neither repeat nor shift others. */
export async function listFiles(parts: FileParts, request: ListFiles): Promise<{ cards: ShownCard[]; nextPageToken: string }> {
  const namespace = namespaceIn(request.parent);
  if (request.pageSize < 0) throw invalid('page_size', 'must not be negative');
  const size = Math.min(request.pageSize === 0 ? defaultPageSize : request.pageSize, maxPageSize);
  const wanted = request.states.length > 0 ? [...new Set(request.states)] : states.filter((state) => state !== 'deleted');
  const list = { namespace, states: wanted };
  const before = request.pageToken === '' ? undefined : parts.pageTokens.read(request.pageToken, list);
  if (request.pageToken !== '' && before === undefined) throw invalid('page_token', 'is none that an answer for the same parent and states held');

  const found = await parts.records.list(namespace, wanted, before, size + 1);
  const page = found.slice(0, size);
  const last = page.at(-1);
  const nextPageToken = found.length > size && last !== undefined ? parts.pageTokens.write({ ...list, seq: last.seq }) : '';
  return { cards: await Promise.all(page.map((card) => shown(card, parts))), nextPageToken };
}
