/** Where a run can be made to stand still: before its first step, with the source in memory, with the photo in memory, with it in the store. */
export const failpoints = ['granted', 'fetched', 'encoded', 'stored'] as const;
export type Failpoint = (typeof failpoints)[number];
