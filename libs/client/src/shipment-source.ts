import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileChunks } from './file-chunks.js';

/** A shipment file: its path, its bytes, or a stream of them, which is read once and kept in the system's folder for temporary files while it is needed. */
export type ShipmentSource = string | Uint8Array | AsyncIterable<Uint8Array>;

/** A file that can be read from its beginning as often as a call has to be repeated. */
export interface Shipment {
  readonly sha256: Buffer;
  open(): AsyncIterable<Uint8Array>;
}

/** Runs `work` with the file and its SHA-256, which is known before the first byte is sent: a stream that broke off can then never be taken for the whole file. */
export async function withShipment<T>(source: ShipmentSource, signal: AbortSignal | undefined, work: (shipment: Shipment) => Promise<T>): Promise<T> {
  if (source instanceof Uint8Array) return work(await hashed(() => chunksOf(source)));
  if (typeof source === 'string') return work(await hashed(() => fileChunks(source)));
  const path = join(tmpdir(), `leasehold-shipment-${randomUUID()}`);
  try {
    await pipeline(Readable.from(source, { objectMode: false }), createWriteStream(path, { flags: 'wx', mode: 0o600 }), signal === undefined ? {} : { signal });
    return await work(await hashed(() => fileChunks(path)));
  } finally {
    await rm(path, { force: true });
  }
}

async function hashed(open: () => AsyncIterable<Uint8Array>): Promise<Shipment> {
  const hash = createHash('sha256');
  for await (const chunk of open()) hash.update(chunk);
  return { sha256: hash.digest(), open };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
