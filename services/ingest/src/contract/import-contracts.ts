import { createHash } from 'node:crypto';
import { ImportPayload } from '@leasehold/jobs-imports-v1';
import type { ImportSource } from '@leasehold/stock-ledger';
import type { ContractChoice } from '../jobs/contract-choice.js';
import { Contracts } from '../jobs/contracts.js';

/** What an import's job says, whatever the contract version that carries it. */
export interface ImportJob {
  readonly importId: string;
  readonly generation: number;
  readonly source: ImportSource;
  /** As declared; empty: found in the file. */
  readonly charset: string;
}

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
export function importJobDigest({ importId, generation, source, charset }: ImportJob): Buffer {
  const content = ['import', importId, generation, source.key, source.versionId, String(source.sizeBytes), source.sha256.toString('hex'), charset];
  return createHash('sha256').update(JSON.stringify(content)).digest();
}

const v1: ImportContract = {
  version: 1,
  canSay: () => true,
  encode: ({ importId, generation, source, charset }) => Buffer.from(ImportPayload.encode(ImportPayload.create({ importId, generation, charset, source: { ...source } })).finish()),
};

/** The versions of the contract `import` that this build writes and settles. */
export type ImportContracts = Contracts<ImportContract>;
export const importContracts: ImportContracts = new Contracts([v1]);

/** The same, with what the coordinator says of them. */
export type ImportChoice = ContractChoice<ImportJob, ImportContract>;
