import { setTimeout as delay } from 'node:timers/promises';
import { FileState, type FilesClient } from '@leasehold/client';
import { Fault } from '@leasehold/rpc';
import { handOver } from '../photos/hand-over.js';
import { photoOf } from '../photos/photo.js';

const everyMs = 250;

/** A service team that hands photos over all the time, whatever is being rolled out. */
export class Load {
  readonly #files: FilesClient;
  readonly #names: string[] = [];
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(files: FilesClient) {
    this.#files = files;
  }

  start(): void {
    this.#running = this.#run();
  }

  get handedOver(): number {
    return this.#names.length;
  }

  /** Stops, and waits for every photo. @returns how many ended in each state */
  async finish(): Promise<Record<string, number>> {
    this.#stopped.abort();
    await this.#running;
    const states: Record<string, number> = {};
    for (const name of this.#names) {
      const { state } = await this.#files.waitUntilFinal(name, { signal: AbortSignal.timeout(120_000) });
      const word = state === FileState.READY ? 'READY' : `state ${state}`;
      states[word] = (states[word] ?? 0) + 1;
    }
    return states;
  }

  /** Stops, and waits for nothing else. */
  async abandon(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#stopped.signal.aborted; number += 1) {
      try {
        this.#names.push((await handOver(this.#files, (await photoOf(number % 40)).bytes)).name);
      } catch (error) {
        // As its ingest is replaced nobody may answer for a moment: the next photo is another one.
        if (!(error instanceof Fault) || !['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'].includes(error.reason)) throw error;
      }
      await delay(everyMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
  }
}
