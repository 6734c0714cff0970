import type { ObjectStore } from './object-store.js';
import type { OpenedStore } from './open-store.js';

/** A store as a part of a process: checked when the process starts and whenever somebody asks whether it is ready, closed when it stops. */
export interface VersionedStore {
  readonly name: string;
  /**
   * Requirement F13: on a store that keeps no versions, the bytes that were confirmed could change under their name.
   * @throws StoreFault
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  readiness(): Promise<{ readonly name: string; readonly ok: boolean; readonly detail?: string }>;
}

export const versionedStore = ({ store, close }: Pick<OpenedStore, 'store' | 'close'>): VersionedStore => ({
  name: 'object-store',
  start: () => store.checkVersioning(),
  stop: async () => close(),
  readiness: async () => {
    const failure = await failureOf(store);
    return failure === undefined ? { name: 'object-store', ok: true } : { name: 'object-store', ok: false, detail: failure };
  },
});

const failureOf = (store: ObjectStore): Promise<string | undefined> =>
  store.checkVersioning().then(() => undefined, (error: unknown) => (error instanceof Error ? error.message : 'failed'));
