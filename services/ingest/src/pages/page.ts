import { invalid } from '../faults.js';
import type { PagedList, PageTokens } from './page-token.js';

/** What a request for a page says (AIP-158). */
export interface PageRequest {
  /** 0 stands for the default; more than the most means the most. */
  readonly pageSize: number;
  /** Empty: the first page. */
  readonly pageToken: string;
}

export interface PageSizes {
  readonly byDefault: number;
  readonly most: number;
}

/**
 * A page by keyset, so that what comes and goes meanwhile neither repeats nor shifts the rest. `read` is asked for one item more than the page
 * has, which tells whether there is another.
 * @throws INVALID_ARGUMENT for a negative size or a token of another list.
 */
export async function page<T>(
  o: { readonly tokens: PageTokens; readonly list: PagedList; readonly request: PageRequest; readonly sizes: PageSizes; readonly positionOf: (item: T) => string },
  read: (after: string | undefined, limit: number) => Promise<readonly T[]>,
): Promise<{ items: T[]; nextPageToken: string }> {
  const { pageSize, pageToken } = o.request;
  if (pageSize < 0) throw invalid('page_size', 'must not be negative');
  const size = Math.min(pageSize === 0 ? o.sizes.byDefault : pageSize, o.sizes.most);
  const after = pageToken === '' ? undefined : o.tokens.read(pageToken, o.list);
  if (pageToken !== '' && after === undefined) throw invalid('page_token', 'is none that an answer to the same request held');
  const found = await read(after, size + 1);
  const items = found.slice(0, size);
  const last = items.at(-1);
  return { items, nextPageToken: found.length > size && last !== undefined ? o.tokens.write(o.list, o.positionOf(last)) : '' };
}
