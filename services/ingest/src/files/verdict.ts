import type { ImageChoice } from '../contract/image-contracts.js';
import { UnreadableResult } from '../jobs/contracts.js';
import type { Outcome } from '../jobs/outcome.js';
import type { Made } from './card.js';
import { rejectionOf, type RejectionReason } from './rejection.js';
import { parseRenditionKey, renditionPrefix, type FileId } from './resource-name.js';

/** What an outcome makes of a card. */
export type Verdict =
  | { readonly cause: 'succeeded'; readonly state: 'ready'; readonly made: Made }
  | { readonly cause: 'failed'; readonly state: 'rejected'; readonly rejection: RejectionReason }
  | { readonly cause: 'cancelled'; readonly state: 'cancelled' };

/**
 * Reads an outcome by its contract.
 * @throws UnreadableResult when this build cannot: an unknown version or state, a broken result, or a rendition that does not lie
 * under this file and this fence. That last one would serve another file's bytes, or bytes that the sweep takes for superseded.
 */
export function verdictOf(outcome: Outcome, id: FileId, contracts: ImageChoice): Verdict {
  switch (outcome.cause) {
    case 'succeeded': {
      const contract = contracts.of(outcome.contractVersion);
      if (contract === undefined) throw new UnreadableResult(`contract version ${outcome.contractVersion} is not read here`);
      const made = contract.decode(outcome.result);
      for (const { key } of made.renditions) {
        const fence = key.startsWith(renditionPrefix(id)) ? parseRenditionKey(key)?.fence : undefined;
        if (fence !== outcome.fence) throw new UnreadableResult('a rendition does not lie under its file and fence');
      }
      return { cause: 'succeeded', state: 'ready', made };
    }
    case 'failed':
      return { cause: 'failed', state: 'rejected', rejection: rejectionOf(outcome.reason) };
    case 'cancelled':
      return { cause: 'cancelled', state: 'cancelled' };
    case 'unreadable':
      throw new UnreadableResult('the outcome is in a state that is not known here');
  }
}
