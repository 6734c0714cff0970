import { ImportPayload, ImportResult } from '@leasehold/jobs-imports-v1';
import { isCharset, type Charset } from '@leasehold/shipment-csv';
import { readPayload, requireWithin, sourceVersionOf, UnreadableContract, type ContractCodec, type SourceVersion } from '@leasehold/worker-runtime';
import type { ImportDone, ImportOrder, ShipmentSource } from './import-order.js';

const importIdRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const LARGEST_GENERATION = 2 ** 31 - 1;

/** Between import@1 on the wire and the model. */
export const contractV1: ContractCodec<ImportOrder, ImportDone> = {
  /** Throws UnreadableContract for bytes that are no import@1, and for values that imports.proto rules out: another build may know better. */
  decode(payload) {
    const { importId, generation, source, charset } = readPayload(payload, ImportPayload, 'ImportPayload');
    if (!importIdRule.test(importId)) throw new UnreadableContract('import_id is none');
    requireWithin('generation', generation, 1, LARGEST_GENERATION);
    return { importId, generation, source: withDigest(sourceVersionOf(source)), charset: charsetOf(charset) };
  },

  encode: (done) => ImportResult.encode(ImportResult.create(done)).finish(),
};

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
