import { ImportState, type Import, type ImportServiceService } from '@leasehold/ingest-v1';
import type { ClientOf } from '@leasehold/rpc';
import { watch } from './watch.js';

const finalStates: readonly number[] = [ImportState.APPLIED, ImportState.REJECTED, ImportState.CANCELLED];

/** Whether nothing happens to the import any more unless its owner asks for it. */
export const isEnded = (shipment: Import): boolean => finalStates.includes(shipment.state);

const keyOf = ({ etag, state, progress: p }: Import): string => [etag, state, p?.attempt, p?.percent, p?.stage, p?.rows, p?.bytes].join(' ');

export const watchImport = (client: ClientOf<typeof ImportServiceService>, name: string, signal: AbortSignal | undefined): AsyncGenerator<Import> =>
  watch({ open: () => imports(client.watchImport({ name }, { signal })), keyOf, isFinal: isEnded }, signal);

async function* imports(answers: AsyncIterable<{ import?: Import | undefined }>): AsyncGenerator<Import | undefined> {
  for await (const { import: shipment } of answers) yield shipment;
}
