import { createHash } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { FileServiceService, Rendition } from '@leasehold/ingest-v1';
import type { ClientOf } from '@leasehold/rpc';

/** Which file, and which of its renditions; an empty name: the first. */
export interface Wanted {
  readonly name: string;
  readonly rendition: string;
}

/** The rendition's description, then its bytes. */
export async function openDownload(client: ClientOf<typeof FileServiceService>, wanted: Wanted, signal: AbortSignal | undefined): Promise<{ rendition: Rendition; body: AsyncIterable<Uint8Array> }> {
  const parts = client.downloadFile({ ...wanted }, { signal })[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done === true || first.value.part?.$case !== 'rendition') throw new Error(`${wanted.name}: the download began without a description`);
  const rendition = first.value.part.value;
  return { rendition, body: bodyOf(parts) };
}

async function* bodyOf(parts: AsyncIterator<{ part?: { $case: 'rendition'; value: Rendition } | { $case: 'chunk'; value: Uint8Array } | undefined }>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) if (next.value.part?.$case === 'chunk') yield next.value.part.value;
  } finally {
    // Leaving early cancels the call.
    await parts.return?.();
  }
}

/**
 * Writes the rendition to `path` under a temporary name first, so that there is never half a picture, and only when size and SHA-256 are what the
 * card says.
 */
export async function downloadTo(client: ClientOf<typeof FileServiceService>, wanted: Wanted, path: string, signal: AbortSignal | undefined): Promise<Rendition> {
  const { rendition, body } = await openDownload(client, wanted, signal);
  const temporary = `${path}.${randomUUID()}.part`;
  const hash = createHash('sha256');
  let sizeBytes = 0n;
  try {
    const file = await open(temporary, 'wx');
    try {
      for await (const chunk of body) {
        hash.update(chunk);
        sizeBytes += BigInt(chunk.length);
        await file.writeFile(chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    if (sizeBytes !== rendition.sizeBytes || !hash.digest().equals(rendition.sha256)) throw new Error(`${wanted.name}: ${sizeBytes} bytes arrived that are not the rendition (${rendition.sizeBytes} bytes)`);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
  return rendition;
}
