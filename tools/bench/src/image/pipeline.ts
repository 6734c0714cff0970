import { FileState, FilesClient } from '@leasehold/client';
import { createReadStream } from 'node:fs';
import { spec } from './spec.js';

/** How many calls of one kind are under way at once. */
const LANES = 4;

/** Hands photos over through the client library, as a service does that uses Leasehold. */
export class Producer {
  readonly #client: FilesClient;

  constructor(ingestAddress: string) {
    this.#client = new FilesClient({ address: ingestAddress });
  }

  /** From the first upload until the last photo is READY. Answers seconds. */
  async everything(paths: readonly string[]): Promise<number> {
    const startedAt = performance.now();
    await this.#untilReady(await inLanes(paths, async (path) => (await this.#client.uploadPhoto(path, { options: spec })).name));
    return (performance.now() - startedAt) / 1000;
  }

  /** From the first confirmation until the last photo is READY; the bytes are in the store before. Answers seconds. */
  async withoutUploads(paths: readonly string[], beforeStart: () => void): Promise<number> {
    const uploaded = await inLanes(paths, async (path) => {
      const { file } = await this.#client.create({ options: spec });
      return { name: file.name, version: await this.#client.upload(file.name, () => createReadStream(path)) };
    });
    beforeStart();
    const startedAt = performance.now();
    await this.#untilReady(await inLanes(uploaded, async ({ name, version }) => (await this.#client.confirm(name, version)).name));
    return (performance.now() - startedAt) / 1000;
  }

  close(): void {
    this.#client.close();
  }

  // One after the other: they end in about this order, and nobody watches a whole backlog card by card.
  async #untilReady(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const { state } = await this.#client.waitUntilFinal(name);
      if (state !== FileState.READY) throw new Error(`${name} ended as ${state}`);
    }
  }
}

async function inLanes<T, R>(all: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
  const results = new Map<number, R>();
  const rest = all.entries();
  const lane = async (): Promise<void> => {
    for (const [index, one] of rest) results.set(index, await act(one));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}
