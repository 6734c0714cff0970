import type { JobHandler } from '@leasehold/worker-runtime';
import type { Failpoints } from '@leasehold/worker-runtime/testing';
import { importHandler } from '../imports/import-handler.js';
import type { ImportDone, ImportOrder } from '../imports/import-order.js';
import type { ImportParts, RunLedger, StagedRows } from '../imports/import-parts.js';
import type { Failpoint } from './failpoints.js';
import type { Unlost } from './losing-replies.js';

type Reach = (point: Failpoint) => Promise<unknown>;

/** The worker's own handler on the worker's own parts, with failpoints between its steps. */
export function pausingHandler(parts: ImportParts, failpoints: Failpoints<Failpoint>, unlost: Unlost = new Map()): JobHandler<ImportOrder, ImportDone> {
  return {
    ...importHandler(parts),
    run: async (job) => {
      const reach: Reach = (point) => failpoints.reach(point, job);
      unlost.set(job.fence, job.jobId);
      await reach('granted');
      return importHandler({ ...parts, ledger: pausingLedger(parts.ledger, reach) }).run(job);
    },
  };
}

const pausingLedger = (ledger: RunLedger, reach: Reach): RunLedger => ({
  begin: (run) => ledger.begin(run),
  openRun: async (run, o) => pausingRows(await ledger.openRun(run, o), reach),
  reject: (run, refusal) => then(ledger.reject(run, refusal), reach, 'committed'),
});

const pausingRows = (staged: StagedRows, reach: Reach): StagedRows => ({
  copyText: (chunks) => then(staged.copyText(pausedAfterFirst(chunks, reach)), reach, 'copied'),
  apply: async (...asked) => {
    const applied = await staged.apply(...asked);
    if (applied.verdict === 'applied') await reach('committed');
    return applied;
  },
  close: () => staged.close(),
});

/** Stops behind the first rows; where the file has none to give, when that is known. */
async function* pausedAfterFirst(chunks: AsyncIterable<Uint8Array>, reach: Reach): AsyncGenerator<Uint8Array> {
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (!stopped) await reach('reading');
    stopped = true;
  };
  try {
    for await (const chunk of chunks) {
      yield chunk;
      await stop();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  await stop();
}

async function then<T>(step: Promise<T>, reach: Reach, point: Failpoint): Promise<T> {
  const done = await step;
  await reach(point);
  return done;
}
