import type { ImageChoice } from '../contract/image-contracts.js';
import { digestOf, type ImageContract, type ImageJob } from '../contract/image-job.js';
import type { PictureOrder } from '../contract/picture-order.js';
import { picturesNotOpen } from '../faults.js';
import { jobIdOf } from '../jobs/job-name.js';
import { jobWriter, type JobWriter } from '../jobs/job-writer.js';
import type { StoredJob } from '../jobs/owed-jobs.js';
import type { Card, Source } from './card.js';
import type { FileRecords } from './records.js';
import { fileName, renditionPrefix, uploadKey, type FileId } from './resource-name.js';

const jobOf = (id: FileId, pictures: PictureOrder, source: Source): ImageJob => ({
  sourceKey: uploadKey(id),
  versionId: source.versionId,
  sizeBytes: source.sizeBytes,
  sha256: source.sha256,
  renditionPrefix: renditionPrefix(id),
  pictures,
});

/** What a confirmed card's job says; undefined for a card that was never confirmed. */
export const imageJobOf = (card: Card): ImageJob | undefined => card.source && jobOf(card, card.pictures, card.source);

/** Refuses what no OPEN version of the contract can say. The first job of a card stands for all of them. @throws FAILED_PRECONDITION / OPTIONS_NOT_OPEN */
export function requireSayable(id: FileId, pictures: PictureOrder, contracts: ImageChoice): void {
  contractFor(id, jobOf(id, pictures, { versionId: '', sizeBytes: 0n, sha256: Buffer.alloc(0) }), 1, contracts);
}

/** What is stored for the relay when `generation` of the card is queued: its exact bytes, in the contract version that the coordinator says. @throws FAILED_PRECONDITION / OPTIONS_NOT_OPEN */
export function jobToStore(id: FileId, pictures: PictureOrder, source: Source, generation: number, contracts: ImageChoice): StoredJob {
  const job = jobOf(id, pictures, source);
  const contract = contractFor(id, job, generation, contracts);
  return { jobId: jobIdOf(id.fileId, generation), contractVersion: contract.version, payload: contract.encode(job), digest: digestOf(job) };
}

function contractFor(id: FileId, job: ImageJob, generation: number, contracts: ImageChoice): ImageContract {
  const contract = contracts.forNew(job, jobIdOf(id.fileId, generation));
  if (contract === undefined) throw picturesNotOpen(fileName(id));
  return contract;
}

/** Writes a card's job anew, as the card has it. */
export const imageJobWriter = (contracts: ImageChoice, records: FileRecords): JobWriter =>
  jobWriter(contracts, digestOf, async ({ namespace, id, generation }) => {
    const card = await records.find({ namespace, fileId: id });
    return card?.generation === generation ? imageJobOf(card) : undefined;
  });
