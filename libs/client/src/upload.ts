import { createHash, type Hash } from 'node:crypto';
import type { FileServiceService, UploadFileRequest } from '@leasehold/ingest-v1';
import type { ClientOf, Encoded } from '@leasehold/rpc';
import { ChunkMessages } from './chunk-message.js';
import { repeated } from './retry.js';

/** What was sent: names the version, with size and SHA-256 as counted on this side. */
export interface Uploaded {
  readonly versionId: string;
  readonly sizeBytes: bigint;
  readonly sha256: Buffer;
}

/**
 * Streams bytes into a PENDING card; `open` starts them from the beginning, so that an upload that broke is sent again (as one more version, of which only
 * the confirmed one counts). Tries 4 times while the server is away.
 */
export async function upload(client: ClientOf<typeof FileServiceService>, name: string, open: () => AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<Uploaded> {
  return repeated(async () => {
    const counted = { hash: createHash('sha256'), sizeBytes: 0n };
    const { versionId } = await client.uploadFile(parts(name, open(), counted), { signal });
    return { versionId, sizeBytes: counted.sizeBytes, sha256: counted.hash.digest() };
  }, signal);
}

async function* parts(name: string, body: AsyncIterable<Uint8Array>, counted: { readonly hash: Hash; sizeBytes: bigint }): AsyncGenerator<UploadFileRequest | Encoded> {
  yield { part: { $case: 'name', value: name } };
  const messages = new ChunkMessages();
  for await (const chunk of body) {
    counted.hash.update(chunk);
    counted.sizeBytes += BigInt(chunk.length);
    yield* messages.of(chunk);
  }
}
