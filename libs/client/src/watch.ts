import { FileState, type File, type FileServiceService } from '@leasehold/ingest-v1';
import type { ClientOf } from '@leasehold/rpc';
import { backOff, wasAway } from './retry.js';

const finalStates: readonly number[] = [FileState.READY, FileState.REJECTED, FileState.CANCELLED, FileState.EXPIRED, FileState.DELETED];

/** Whether nothing happens to the card any more unless its owner asks for it. */
export const isFinal = (file: File): boolean => finalStates.includes(file.state);

const keyOf = (file: File): string => [file.etag, file.state, file.progress?.attempt, file.progress?.percent, file.progress?.stage].join(' ');

/**
 * The card now and after each change, until it is final. When the stream breaks or the server restarts it is opened again for as long as the
 * signal allows; as each message is the whole card nothing is missed, and what was shown is not shown twice.
 */
export async function* watchFile(client: ClientOf<typeof FileServiceService>, name: string, signal: AbortSignal | undefined): AsyncGenerator<File> {
  let shown: string | undefined;
  for (let failures = 0; ; ) {
    try {
      for await (const { file } of client.watchFile({ name }, { signal })) {
        failures = 0;
        if (file === undefined || keyOf(file) === shown) continue;
        shown = keyOf(file);
        yield file;
        if (isFinal(file)) return;
      }
      // The server ended a watch of a card that is not final: it is draining.
      await backOff(++failures, undefined, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!wasAway(error)) throw error;
      await backOff(++failures, error, signal);
    }
  }
}
