import { createHash } from 'node:crypto';
import type { EmbeddedStore } from '@leasehold/object-store';
import { temporaryStore, upload } from '@leasehold/object-store/testing';
import { createRegistry, systemClock } from '@leasehold/service';
import { defaultLimits, type Charset, type Layout } from '@leasehold/shipment-csv';
import type { AcceptVerdict, ImportMode } from '@leasehold/stock-ledger';
import { openTestbed, type Testbed } from '@leasehold/stock-ledger/testing';
import type { Registry } from 'prom-client';
import { Figures } from '../figures.js';
import type { ImportOrder } from '../imports/import-order.js';
import type { ImportParts } from '../imports/import-parts.js';
import { DeadBuffers } from '../memory/dead-buffers.js';

/** A real ledger and a real store, and what ingest does with a shipment before a worker hears of it. */
export interface ShipmentBed {
  readonly ledger: Testbed;
  readonly store: EmbeddedStore;
  readonly registry: Registry;
  /** A handler's, on the ledger as the worker's role sees it. */
  readonly parts: ImportParts;
  /** Stores the bytes and has the ledger take the batch, in the namespace `team` unless another is given. */
  submit(importId: string, bytes: Uint8Array | string, o?: { charset?: Charset; namespace?: string; mode?: ImportMode; layout?: Layout }): Promise<{ verdict: AcceptVerdict; order: ImportOrder }>;
  close(): Promise<void>;
}

export async function openShipmentBed(): Promise<ShipmentBed> {
  const ledger = await openTestbed();
  const { store, remove } = await temporaryStore();
  const registry = createRegistry('import-worker');
  return {
    ledger,
    store,
    registry,
    parts: { store, ledger: ledger.worker, limits: defaultLimits, storeTimeoutMs: 30_000, clock: systemClock, figures: new Figures(registry), buffers: new DeadBuffers(4 * 1024 * 1024) },
    submit: async (importId, content, { charset, namespace = 'team', mode = 'atomic', layout = 'single' } = {}) => {
      const bytes = Buffer.from(content);
      const { key, versionId, sha256 } = await upload(store, `shipments/${namespace}/${importId}`, bytes);
      const source = { key, versionId, sizeBytes: bytes.length, sha256 };
      const contentDigest = createHash('sha256').update(sha256).update(JSON.stringify([charset ?? '', mode, layout])).digest();
      const { verdict, import: { generation } } = await ledger.ledger.accept({
        namespace, importId, mode, layout, charset: charset ?? '', contentDigest, source: { ...source, sizeBytes: BigInt(bytes.length) },
      });
      return { verdict, order: { importId, generation, source, charset, mode, layout } };
    },
    close: async () => {
      await ledger.stop();
      await remove();
    },
  };
}
