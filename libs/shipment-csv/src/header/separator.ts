/** Found by itself in the header line. */
export const foundSeparators = [',', ';', '\t'] as const;
/** Only taken when a first line `sep=|` says so: a bar alone is more often part of a name than a separator. */
export const declaredOnlySeparator = '|';

const declaration = /^"?sep=([^]*?)"?$/i;

/** What a first line `sep=…`, as Excel writes it, declares; nothing when the line is none. */
export function declaredSeparator(line: string): { separator: string } | { fault: string } | undefined {
  const declared = declaration.exec(line)?.[1];
  if (declared === undefined) return undefined;
  const known = [...foundSeparators, declaredOnlySeparator].find((separator) => separator === declared);
  return known === undefined ? { fault: 'the line sep= must name one of the separators , ; | or a tab' } : { separator: known };
}

/** Blank before a separator is known: nothing but white space and what may be a separator. */
export const isBlankLine = (line: string): boolean => /^[\s,;|]*$/.test(line);
