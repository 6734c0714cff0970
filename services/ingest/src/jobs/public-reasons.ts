/**
 * From a failed job's word to the reason that owners see: technical words are EXHAUSTED, as they end a job only once its attempts are spent; a word that this
 * version does not know is OTHER.
 */
export const publicReasons = <R extends string>(known: readonly (R | 'EXHAUSTED' | 'OTHER')[], technical: readonly string[]) => (word: string): R | 'EXHAUSTED' | 'OTHER' =>
  technical.includes(word) ? 'EXHAUSTED' : (known.find((reason) => reason === word) ?? 'OTHER');
