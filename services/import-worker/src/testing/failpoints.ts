/**
 * Where a run can be made to stand still: before its first step; with the first rows of the file in the database, as nobody else sees them; with all of
 * them there; with the ledger's verdict committed, so applied or refused, and the job not settled; and with the job settled, when the answer to that
 * is lost.
 */
export const failpoints = ['granted', 'reading', 'copied', 'committed', 'reply-lost'] as const;
export type Failpoint = (typeof failpoints)[number];
