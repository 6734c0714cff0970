import type { File, FilesClient } from '@leasehold/client';

/** Create, upload, confirm: the card in state QUEUED. */
export async function handOver(files: FilesClient, bytes: Uint8Array, fileId?: string): Promise<File> {
  const { file } = await files.create({ ...(fileId === undefined ? {} : { fileId }), options: { effort: 1 } });
  return files.confirm(file.name, await files.upload(file.name, () => once(bytes)));
}

/** The rendition as its owner gets it. */
export async function downloaded(files: FilesClient, { name }: Pick<File, 'name'>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await files.download(name)).body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
