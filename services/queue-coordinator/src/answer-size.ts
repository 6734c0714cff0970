/** Largest answer that a list of leases, jobs or outcomes may make, in bytes of content: below the 4 MiB that clients receive by default, with room for the other fields. */
export const maxAnswerBytes = 3 * 1024 * 1024;

/** What everything but the content of an item takes at most, in bytes. */
const itemBytes = 1024;

/** As many items from the front as fit into one answer; one at least, as a single one always fits. */
export function fitting<T>(items: readonly T[], sizeOf: (item: T) => number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += sizeOf(item) + itemBytes;
    return index > 0 && bytes > maxAnswerBytes;
  });
  return end === -1 ? items : items.slice(0, end);
}
