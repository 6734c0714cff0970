import type { LeaseOutcome } from '../metrics.js';
import type { SettlementContent } from './settlement.js';

/** The reason or cause that goes with it. */
export const wordOf = (content: SettlementContent): string | undefined =>
  content.verb === 'fail' ? content.reason : content.verb === 'release' ? content.cause : undefined;

/** What becomes of a lease that is settled so. */
export function outcomeOf(content: SettlementContent): LeaseOutcome {
  switch (content.verb) {
    case 'complete':
      return 'succeeded';
    case 'fail':
      return `failed_${content.faultClass}`;
    case 'release':
      return `released_${content.cause}`;
  }
}
