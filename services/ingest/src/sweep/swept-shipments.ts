import type { ImportRecord, Ledger } from '@leasehold/stock-ledger';
import { parseShipmentKey } from '../imports/resource-name.js';
import type { SweptObjects } from './bucket-pass.js';
import type { Listed } from './remove.js';

export interface ShipmentWindows {
  /** After this long no submission can be under way that has stored its bytes and is not accepted yet, in ms. */
  readonly orphanMs: number;
  /** How long the file of an ended import is kept, in ms. */
  readonly retentionMs: number;
}

/** Submitted files: of the imports that name them, and those that none does. */
export const sweptShipments = (ledger: Ledger, windows: ShipmentWindows): SweptObjects => ({
  prefix: 'shipments/',
  kindOf: (object) => (parseShipmentKey(object.key) === undefined ? undefined : 'shipment'),
  removableFrom: async (objects) => {
    // One after the other: a slow pass must not take the connections of callers.
    const imports = new Map<string, ImportRecord | undefined>();
    for (const { key } of objects) {
      const id = parseShipmentKey(key);
      if (id !== undefined && !imports.has(key)) imports.set(key, await ledger.find(id));
    }
    return objects.map((object) => shipmentRemovableFrom(object, imports.get(object.key), windows));
  },
});

/**
 * - named by an ACCEPTED import: never;
 * - named by an ended one: after the retention, and no sooner than any retry of it was refused for that (RetryImport refuses from its end on);
 * - named by none: a submission that was refused or repeated, that died, or that a corrected file has superseded.
 */
export function shipmentRemovableFrom(object: Pick<Listed, 'versionId' | 'storedAt' | 'deleteMarker'>, named: ImportRecord | undefined, { orphanMs, retentionMs }: ShipmentWindows): Date | undefined {
  const official = !object.deleteMarker && named?.source?.versionId === object.versionId;
  if (!official) return new Date(object.storedAt.getTime() + orphanMs);
  return named?.endTime && new Date(named.endTime.getTime() + retentionMs + orphanMs);
}
