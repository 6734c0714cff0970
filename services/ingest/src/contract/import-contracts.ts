import { createHash } from 'node:crypto';
import { ImportPayload as PayloadV1 } from '@leasehold/jobs-imports-v1';
import { ImportLayout as LayoutMessage, ImportMode as ModeMessage, ImportPayload as PayloadV2 } from '@leasehold/jobs-imports-v2';
import type { ImportLayout, ImportMode, ImportSource } from '@leasehold/stock-ledger';
import type { ContractChoice } from '../jobs/contract-choice.js';
import { Contracts } from '../jobs/contracts.js';

/** What an import's job says, whatever the contract version that carries it. */
export interface ImportJob {
  readonly importId: string;
  readonly generation: number;
  readonly source: ImportSource;
  /** As declared; empty: found in the file. */
  readonly charset: string;
  readonly mode: ImportMode;
  readonly layout: ImportLayout;
}

/** What every version can say. */
export const isUsual = ({ mode, layout }: Pick<ImportJob, 'mode' | 'layout'>): boolean => mode === 'atomic' && layout === 'single';

/** One version of the contract `import`: this is all of ingest that knows it. Results are not read here: the ledger has them. */
export interface ImportContract {
  readonly version: number;
  /** Whether a job can be written in this version at all. */
  canSay(job: ImportJob): boolean;
  encode(job: ImportJob): Buffer;
}

/**
 * SHA-256 over the logical content. The same for every contract version, so that a job which was encoded anew is still the
 * same job to the coordinator; and protobuf bytes are not canonical.
 */
export function importJobDigest({ importId, generation, source, charset, mode, layout }: ImportJob): Buffer {
  const options = isUsual({ mode, layout }) ? [] : [mode, layout];
  const content = ['import', importId, generation, source.key, source.versionId, String(source.sizeBytes), source.sha256.toString('hex'), charset, ...options];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

const v1: ImportContract = {
  version: 1,
  canSay: isUsual,
  encode: ({ importId, generation, source, charset }) => Buffer.from(PayloadV1.encode(PayloadV1.create({ importId, generation, charset, source: { ...source } })).finish()),
};

const modes = { atomic: ModeMessage.ATOMIC, partial: ModeMessage.PARTIAL } as const satisfies Record<ImportMode, ModeMessage>;
const layouts = { single: LayoutMessage.SINGLE, warehouses: LayoutMessage.WAREHOUSES } as const satisfies Record<ImportLayout, LayoutMessage>;

const v2: ImportContract = {
  version: 2,
  canSay: () => true,
  encode: ({ importId, generation, source, charset, mode, layout }) =>
    Buffer.from(PayloadV2.encode(PayloadV2.create({ importId, generation, charset, source: { ...source }, mode: modes[mode], layout: layouts[layout] })).finish()),
};

/** The versions of the contract `import` that this build writes and settles. */
export type ImportContracts = Contracts<ImportContract>;
export const importContracts: ImportContracts = new Contracts([v1, v2]);

/** The same, with what the coordinator says of them. */
export type ImportChoice = ContractChoice<ImportJob, ImportContract>;
