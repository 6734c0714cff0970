import { digestOf, type ImageContracts, type ImageJob } from '../contract/image-contracts.js';
import { jobIdOf } from '../jobs/job-name.js';
import { jobWriter, type JobWriter } from '../jobs/job-writer.js';
import type { StoredJob } from '../jobs/owed-jobs.js';
import type { Card, Source } from './card.js';
import type { Options } from './options.js';
import type { FileRecords } from './records.js';
import { renditionPrefix, uploadKey, type FileId } from './resource-name.js';

const jobOf = (id: FileId, options: Options, source: Source): ImageJob => ({
  sourceKey: uploadKey(id),
  versionId: source.versionId,
  sizeBytes: source.sizeBytes,
  sha256: source.sha256,
  renditionPrefix: renditionPrefix(id),
  ...options,
});

/** What a confirmed card's job says; undefined for a card that was never confirmed. */
export const imageJobOf = (card: Card): ImageJob | undefined => card.source && jobOf(card, card.options, card.source);

/** What is stored for the relay when `generation` of the card is queued: its exact bytes, in the preferred contract version. */
export function jobToStore(id: FileId, options: Options, source: Source, generation: number, contracts: ImageContracts): StoredJob {
  const job = jobOf(id, options, source);
  const contract = contracts.preferred;
  return { jobId: jobIdOf(id.fileId, generation), contractVersion: contract.version, payload: contract.encode(job), digest: digestOf(job) };
}

/** Writes a card's job anew, as the card has it. */
export const imageJobWriter = (contracts: ImageContracts, records: FileRecords): JobWriter =>
  jobWriter(contracts, digestOf, async ({ namespace, id, generation }) => {
    const card = await records.find({ namespace, fileId: id });
    return card?.generation === generation ? imageJobOf(card) : undefined;
  });
