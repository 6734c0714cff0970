import { viewText } from '../coordinator/job-views.js';
import { watch } from '../watch/watch.js';
import { importIdIn, importNamed } from './named.js';
import type { ImportParts } from './parts.js';
import { importName } from './resource-name.js';
import { shown, type ShownImport } from './shown-import.js';

/** The import now and after each change, until it has ended. Each is whole, so that whoever was away just watches again. */
export const watchImport = (parts: ImportParts, name: string, signal: AbortSignal): AsyncGenerator<ShownImport> =>
  watch({
    name: importName(importIdIn(name)),
    changes: parts.changes,
    clock: parts.clock,
    read: async () => shown(await importNamed(parts.ledger, name), parts),
    fingerprint: ({ record, job }) => `${record.state} ${record.revision} ${viewText(job)}`,
    isFinal: ({ record }) => record.state !== 'accepted',
    lookAgainMs: () => parts.limits.watchProgressMs,
  }, signal);
