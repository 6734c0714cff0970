import { openEmbeddedStore } from './embedded/embedded-store.js';
import type { Signing } from './embedded/signed-request.js';
import type { ObjectStore } from './object-store.js';
import { openS3Store } from './s3/s3-store.js';
import type { StoreSettings } from './store-settings.js';

export interface OpenedStore {
  readonly store: ObjectStore;
  /** `embedded`: signed URLs go to whoever calls verifySignedRequest. `s3`: to the store itself. */
  readonly kind: StoreSettings['kind'];
  /** Ends the store's connections. Safe to call twice. */
  readonly close: () => void;
}

/**
 * Opens the store that the settings name. `signing` is what the embedded one signs with; an S3 signs with its keys. Call checkVersioning before anything else.
 * Faults: `invalid`, `unavailable`.
 */
export async function openStore(settings: StoreSettings, o: { readonly signing?: Signing | undefined } = {}): Promise<OpenedStore> {
  if (settings.kind === 'embedded') {
    return { kind: 'embedded', store: await openEmbeddedStore({ directory: settings.directory, signing: o.signing }), close: () => undefined };
  }
  const store = await openS3Store(settings);
  return { kind: 's3', store, close: () => store.close() };
}
