/** The word of an edge's enum, as its proto has it behind the common prefix: `OPEN`, `PASS`. What this build does not know is UNKNOWN. */
export const wordOf = (words: Readonly<Record<string, number>>, value: number): string => Object.entries(words).find(([, known]) => known === value)?.[0] ?? 'UNKNOWN';

export const counted = (count: number | bigint, one: string, many = `${one}s`): string => `${count} ${Number(count) === 1 ? one : many}`;
