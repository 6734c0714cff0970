import { FileState, ImportState, type File, type Import } from '@leasehold/ingest-v1';
import type { Command } from 'commander';
import { wordOf } from '../print/words.js';
import type { Session } from '../session.js';
import { fullName } from './resource-name.js';

/** Adds `files retry` and `imports retry` to the root command. */
export function addResourceCommands(root: Command, session: Session): void {
  const namespaced = (command: Command): Command => command.option('--namespace <name>', 'of a name in short', 'default');
  namespaced(root.command('files').description('acts on photos').command('retry').description('queues a REJECTED photo again, under a new generation').argument('<name>', 'namespaces/{namespace}/files/{file}, or {file}'))
    .action(async (text: string, { namespace }: { namespace: string }) => {
      const name = fullName(text, { namespace, collection: 'files' });
      const file = await session.services.ingest(async ({ files }) => (await files.retryFile({ name, etag: (await files.getFile({ name })).file?.etag ?? '' })).file);
      if (file !== undefined) session.print(fileData(file), () => retried(name, wordOf(FileState, file.state), file.generation, session, 'file'));
    });
  namespaced(root.command('imports').description('acts on shipments').command('retry').description('queues a REJECTED import again, under a new generation; the same file is read').argument('<name>', 'namespaces/{namespace}/imports/{import}, or {import}'))
    .action(async (text: string, { namespace }: { namespace: string }) => {
      const name = fullName(text, { namespace, collection: 'imports' });
      const taken = await session.services.ingest(async ({ imports }) => (await imports.retryImport({ name, etag: (await imports.getImport({ name })).import?.etag ?? '' })).import);
      if (taken !== undefined) session.print(importData(taken), () => retried(name, wordOf(ImportState, taken.state), taken.generation, session, 'import'));
    });
}

const retried = (name: string, state: string, generation: number, session: Session, what: 'file' | 'import'): string =>
  `${name} is ${state} as generation ${generation}\n${session.next([`leasehold explain ${what} ${name}`])}`;

export const fileData = (file: File): object => ({ ...file, state: wordOf(FileState, file.state) });
export const importData = (taken: Import): object => ({ ...taken, state: wordOf(ImportState, taken.state) });
