/** Line ends within fields: LF, CRLF and a CR alone count as one each. */
export function lineEndsWithin(fields: readonly string[]): number {
  let count = 0;
  for (const field of fields) {
    if (field.includes('\n') || field.includes('\r')) count += field.match(/\r\n|\n|\r/g)?.length ?? 0;
  }
  return count;
}

/** Line ends in a text that holds no other record; a CR at its very end counts. */
export const lineEndsIn = (text: Buffer): number => lineEndsWithin([text.toString('latin1')]);
