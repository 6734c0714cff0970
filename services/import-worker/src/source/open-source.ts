import { createHash, type Hash } from 'node:crypto';
import { readingFault, type ObjectStore, type ReadingFault } from '@leasehold/object-store';
import type { Clock } from '@leasehold/service';
import type { ShipmentSource } from '../imports/import-order.js';
import { importFault, type Reason } from '../reasons.js';
import { StallWatch } from './stall-watch.js';

export interface SourceOptions {
  readonly signal: AbortSignal;
  /** Longest wait for the store's next bytes, in ms. */
  readonly stallMs: number;
  readonly clock: Clock;
  /** A wait was longer than that. */
  readonly onStall: () => void;
}

/** The bytes of exactly the version that was submitted, as they come. All methods throw JobFault SOURCE_MISMATCH, STORE_UNAVAILABLE, TIMEOUT, INTERNAL, or the signal's reason. */
export interface OpenSource {
  /** Once. Its end is only reached by bytes that are those that were submitted. A reader that breaks off leaves it open. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Reads what is left. What a reader found in the bytes counts only after this has resolved: a verdict on bytes that somebody changed is none on what was
   * submitted.
   */
  prove(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the source. Throws like its methods. */
export async function openSource(store: ObjectStore, source: ShipmentSource, o: SourceOptions): Promise<OpenSource> {
  const watch = new StallWatch({
    clock: o.clock,
    limitMs: o.stallMs,
    late: () => {
      o.onStall();
      return importFault('TIMEOUT', `fetch: no bytes within ${o.stallMs} ms`);
    },
  });
  const signal = AbortSignal.any([o.signal, watch.signal]);
  const guarded = <T>(read: () => Promise<T>): Promise<T> =>
    watch.read(read).catch(async (error: unknown) => {
      throw await seenFromHere(error, store, o.signal);
    });
  const { version, body } = await guarded(() => store.get(source.key, source.versionId, { maxBytes: source.sizeBytes, signal }));
  if (version.sizeBytes !== source.sizeBytes) throw mismatch('another size than submitted');
  // A store that has recorded the digest proves the body against it: gigabytes are not hashed twice.
  if (version.sha256 !== undefined && !version.sha256.equals(source.sha256)) throw mismatch('another SHA-256 than submitted');
  const chunks = body[Symbol.asyncIterator]();
  const proof = new Proof(source, version.sha256 === undefined ? createHash('sha256') : undefined);
  async function* rest(): AsyncGenerator<Uint8Array> {
    while (!proof.complete) {
      const chunk = await guarded(() => chunks.next());
      if (chunk.done === true) proof.end();
      else {
        proof.take(chunk.value);
        yield chunk.value;
      }
    }
  }
  return {
    body: { [Symbol.asyncIterator]: rest },
    prove: async () => {
      for await (const _ of rest()) o.signal.throwIfAborted();
    },
    close: async () => {
      await chunks.return?.();
    },
  };
}

/** Whether the bytes that have come are those that were submitted. */
class Proof {
  readonly #source: ShipmentSource;
  readonly #digest: Hash | undefined;
  #bytes = 0;
  complete = false;

  constructor(source: ShipmentSource, digest: Hash | undefined) {
    this.#source = source;
    this.#digest = digest;
  }

  take(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#source.sizeBytes) throw mismatch('more bytes than submitted');
    this.#digest?.update(chunk);
  }

  end(): void {
    if (this.#bytes < this.#source.sizeBytes) throw mismatch('fewer bytes than submitted');
    if (this.#digest !== undefined && !this.#digest.digest().equals(this.#source.sha256)) throw mismatch('another SHA-256 than submitted');
    this.complete = true;
  }
}

const mismatch = (message: string): Error => importFault('SOURCE_MISMATCH', message);

const reasonOf: Readonly<Record<ReadingFault, Reason>> = { mismatch: 'SOURCE_MISMATCH', store: 'STORE_UNAVAILABLE', caller: 'INTERNAL' };

async function seenFromHere(error: unknown, store: ObjectStore, signal: AbortSignal): Promise<unknown> {
  const fault = await readingFault(error, store, signal);
  return fault === undefined ? error : importFault(reasonOf[fault], error instanceof Error ? error.message : fault, error);
}
