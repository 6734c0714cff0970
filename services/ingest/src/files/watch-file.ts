import { viewText } from '../coordinator/job-views.js';
import { watch } from '../watch/watch.js';
import { cardNamed, fileIdIn } from './named.js';
import type { FileParts } from './parts.js';
import { fileName } from './resource-name.js';
import { isFinal } from './rules.js';
import { shown, type ShownCard } from './shown-card.js';

/** The card now and after each change, until it is final. */
export const watchFile = (parts: FileParts, name: string, signal: AbortSignal): AsyncGenerator<ShownCard> =>
  watch({
    name: fileName(fileIdIn(name)),
    changes: parts.changes,
    clock: parts.clock,
    read: async () => shown(await cardNamed(parts.records, name), parts),
    fingerprint: ({ card, job }) => `${card.state} ${card.revision} ${viewText(job)}`,
    isFinal: ({ card }) => isFinal(card.state),
    lookAgainMs: ({ card }) => (card.state === 'queued' ? parts.limits.watchProgressMs : parts.limits.watchFloorMs),
  }, signal);
