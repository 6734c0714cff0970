import { FileState, type File, type FileServiceService } from '@leasehold/ingest-v1';
import type { ClientOf } from '@leasehold/rpc';
import { watch } from './watch.js';

const finalStates: readonly number[] = [FileState.READY, FileState.REJECTED, FileState.CANCELLED, FileState.EXPIRED, FileState.DELETED];

/** Whether nothing happens to the card any more unless its owner asks for it. */
export const isFinal = (file: File): boolean => finalStates.includes(file.state);

const keyOf = (file: File): string => [file.etag, file.state, file.progress?.attempt, file.progress?.percent, file.progress?.stage].join(' ');

export const watchFile = (client: ClientOf<typeof FileServiceService>, name: string, signal: AbortSignal | undefined): AsyncGenerator<File> =>
  watch({ open: () => files(client.watchFile({ name }, { signal })), keyOf, isFinal }, signal);

async function* files(answers: AsyncIterable<{ file?: File | undefined }>): AsyncGenerator<File | undefined> {
  for await (const { file } of answers) yield file;
}
