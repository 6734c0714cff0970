import { publicReasons } from '../jobs/public-reasons.js';

/** Why nothing was applied: the closed list that owners see, in the words of the contract. */
export const rejectionReasons = [
  'EMPTY', 'ENCODING', 'HEADER', 'QUOTING', 'RAGGED', 'QUANTITY', 'SKU', 'WAREHOUSE', 'OPERATION', 'LIMIT', 'NEGATIVE_STOCK', 'SOURCE_MISMATCH', 'EXHAUSTED', 'OTHER',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

// Texts of ours only: what a worker or a library says may hold paths, URLs or the file's contents.
const explanations: Record<RejectionReason, string> = {
  EMPTY: 'The file has no rows. Submit the whole file again under the same id.',
  ENCODING: 'The file holds bytes that are no text in its charset, or characters that no shipment holds. Declare its charset, or save it as UTF-8, and submit it again under the same id.',
  HEADER: 'The first line does not name the columns that are needed, each once. Mend it and submit the file again under the same id.',
  QUOTING: 'A quote does not end, or stands where none may. Mend the row and submit the file again under the same id.',
  RAGGED: 'A row has more or fewer fields than the header line. Mend it and submit the file again under the same id.',
  QUANTITY: 'A quantity is no whole number that fits into 32 bits, or is below 0 where its operation forbids it. Mend the row and submit the file again under the same id.',
  SKU: 'A SKU is empty or cannot be used. Mend the row and submit the file again under the same id.',
  WAREHOUSE: 'A row names a warehouse that is none. Mend the row and submit the file again under the same id.',
  OPERATION: 'A row names an operation that is none: receive, adjust and set are. Mend the row and submit the file again under the same id.',
  LIMIT: 'The file has more bytes, rows or columns, or a longer field, than is taken. Divide it and submit the parts under ids of their own.',
  NEGATIVE_STOCK: 'The file takes more of a SKU than there is. Import what comes in first and retry, or submit a corrected file under the same id.',
  SOURCE_MISMATCH: 'The stored bytes are no longer what was submitted. Submit the file again under the same id.',
  EXHAUSTED: 'Every attempt failed for a technical reason, none of which lies in the file. Retry it later.',
  OTHER: 'The file was refused for a reason that this version does not know. Retry it later, or ask the operators.',
};
export const explanationOf = (reason: RejectionReason): string => explanations[reason];

/** The public reason for a failed job's word, or a word of the ledger. */
export const rejectionOf: (word: string) => RejectionReason = publicReasons<RejectionReason>(rejectionReasons, ['EXHAUSTED', 'STORE_UNAVAILABLE', 'LEDGER_UNAVAILABLE', 'TIMEOUT', 'INTERNAL']);
