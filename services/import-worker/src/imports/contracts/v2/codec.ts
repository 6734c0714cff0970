import { ImportLayout, ImportMode, ImportPayload, ImportResult } from '@leasehold/jobs-imports-v2';
import { isCharset, type Charset, type Layout } from '@leasehold/shipment-csv';
import type { ImportMode as Mode } from '@leasehold/stock-ledger';
import { readPayload, requireWithin, sourceVersionOf, UnreadableContract, type ContractCodec, type SourceVersion } from '@leasehold/worker-runtime';
import type { ImportDone, ImportOrder, ShipmentSource } from '../../import-order.js';

const importIdRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const LARGEST_GENERATION = 2 ** 31 - 1;

const modes = new Map<ImportMode, Mode>([[ImportMode.ATOMIC, 'atomic'], [ImportMode.PARTIAL, 'partial']]);
const layouts = new Map<ImportLayout, Layout>([[ImportLayout.SINGLE, 'single'], [ImportLayout.WAREHOUSES, 'warehouses']]);

/** Between import@2 on the wire and the model. */
export const contractV2: ContractCodec<ImportOrder, ImportDone> = {
  /** Throws UnreadableContract for bytes that are no import@2, and for values that imports.proto rules out: another build may know better. */
  decode: (payload) => orderOf(readPayload(payload, ImportPayload, 'ImportPayload')),
  encode: (done) => ImportResult.encode(ImportResult.create(done)).finish(),
};

/** What a payload of version 2 asks for, wherever it comes from. Throws UnreadableContract. */
export function orderOf({ importId, generation, source, charset, mode, layout }: ImportPayload): ImportOrder {
  if (!importIdRule.test(importId)) throw new UnreadableContract('import_id is none');
  requireWithin('generation', generation, 1, LARGEST_GENERATION);
  return {
    importId, generation, source: withDigest(sourceVersionOf(source)), charset: charsetOf(charset), mode: known('mode', modes.get(mode)), layout: known('layout', layouts.get(layout)),
  };
}

function withDigest(source: SourceVersion): ShipmentSource {
  const { sha256 } = source;
  if (sha256 === undefined) throw new UnreadableContract('source.sha256 is not set');
  return { ...source, sha256 };
}

function charsetOf(name: string): Charset | undefined {
  if (name === '') return undefined;
  if (isCharset(name)) return name;
  throw new UnreadableContract('charset is not one that this build knows');
}

function known<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new UnreadableContract(`${field} is not set, or not one that this build knows`);
  return value;
}
