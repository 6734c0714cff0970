import { Contracts } from '../jobs/contracts.js';
import type { ContractChoice } from '../jobs/contract-choice.js';
import type { ImageContract, ImageJob } from './image-job.js';
import { imageV1 } from './image/v1/codec.js';
import { imageV2 } from './image/v2/codec.js';

/** The versions of the contract `image` that this build writes and reads. */
export type ImageContracts = Contracts<ImageContract>;
export const imageContracts: ImageContracts = new Contracts([imageV1, imageV2]);

/** The same, with what the coordinator says of them. */
export type ImageChoice = ContractChoice<ImageJob, ImageContract>;
