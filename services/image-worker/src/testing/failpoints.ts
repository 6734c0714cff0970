/** Where a run can be made to stand still: before its first step, with the source in memory, with its pictures in memory, with one more of them in the store. */
export const failpoints = ['granted', 'fetched', 'encoded', 'stored'] as const;
export type Failpoint = (typeof failpoints)[number];
