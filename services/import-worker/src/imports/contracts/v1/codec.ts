import { ImportPayload, ImportResult } from '@leasehold/jobs-imports-v1';
import { ImportLayout, ImportMode } from '@leasehold/jobs-imports-v2';
import { readPayload, type ContractCodec } from '@leasehold/worker-runtime';
import { orderOf } from '../v2/codec.js';
import type { ImportDone, ImportOrder } from '../../import-order.js';

/** Between import@1 on the wire and the model: a payload is what version 2 says as ATOMIC and SINGLE, and a result leaves out what such a batch has none of. */
export const contractV1: ContractCodec<ImportOrder, ImportDone> = {
  /** Throws UnreadableContract for bytes that are no import@1, and for values that imports.proto rules out: another build may know better. */
  decode: (payload) => orderOf({ ...readPayload(payload, ImportPayload, 'ImportPayload'), mode: ImportMode.ATOMIC, layout: ImportLayout.SINGLE }),

  encode: ({ rows, zeroRows, skus, duplicateRows, unitsIn, unitsOut, catalogueGeneration, applyTime }) =>
    ImportResult.encode({ rows, zeroRows, skus, duplicateRows, unitsIn, unitsOut, catalogueGeneration, applyTime }).finish(),
};
