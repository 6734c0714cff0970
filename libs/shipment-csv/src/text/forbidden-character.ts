import type { Charset } from '../shipment.js';

const replacement = Buffer.from('\ufffd');

export interface ForbiddenCharacter {
  /** Where it begins in the text. */
  readonly at: number;
  readonly message: string;
}

/** The first NUL, which PostgreSQL cannot store (SQLSTATE 22021, for ever), or U+FFFD, which stands for bytes that are no text. */
export function forbiddenCharacter(text: Buffer, charset: Charset): ForbiddenCharacter | undefined {
  const nul = text.indexOf(0);
  const lost = text.indexOf(replacement);
  if (nul >= 0 && (lost < 0 || nul < lost)) return { at: nul, message: 'a NUL character stands here: save the file as text in UTF-8, or in UTF-16 with a byte order mark' };
  if (lost < 0) return undefined;
  const else_ = charset === 'utf-8' ? 'save it as UTF-8, or declare its charset' : 'declare the charset that it was saved in';
  return { at: lost, message: `this is not text in ${charset}, or holds U+FFFD, the sign for text lost in a conversion: ${else_}` };
}
