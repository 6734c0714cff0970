import type { ObjectStore } from './object-store.js';
import { StoreFault } from './store-fault.js';

/**
 * Whose fault it is that an exact version could not be read: `mismatch`: it is not there, or is not what was stored; `store`: the store, for
 * now; `caller`: what was asked for can be stored nowhere.
 */
export type ReadingFault = 'mismatch' | 'store' | 'caller';

/**
 * What an error of `get` or of reading its body means; undefined for one that is not the store's.
 *
 * A version that is not found in a store that holds nothing at all is the store's fault: whoever looks into the wrong directory or bucket must
 * not condemn everything that it is asked for.
 */
export async function readingFault(error: unknown, store: ObjectStore, signal: AbortSignal): Promise<ReadingFault | undefined> {
  if (!(error instanceof StoreFault)) return undefined;
  switch (error.kind) {
    case 'not_found':
      return (await isEmpty(store, signal)) ? 'store' : 'mismatch';
    case 'damaged':
    case 'too_large':
      return 'mismatch';
    case 'unavailable':
    case 'unversioned':
    case 'unsupported':
      return 'store';
    case 'invalid':
      return 'caller';
  }
}

async function isEmpty(store: ObjectStore, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _ of store.listVersions('', { signal })) return false;
    return true;
  } catch {
    return true;
  }
}
