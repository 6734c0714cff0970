const longest = 64;
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800"\\]/gu;

/** A field as a fault may show it: at most 64 characters of it, in quotes, with everything that cannot be seen written as `\u{hex}`. */
export function excerpt(field: string): string {
  const head = shortened(field);
  const shown = head.replace(unseen, (character) => (character === ' ' ? ' ' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`));
  return `"${shown}${head.length < field.length ? '…' : ''}"`;
}

/** At most the first 64 characters. */
export function shortened(text: string): string {
  if (text.length <= longest) return text;
  // Sliced first: a field may be as long as the limit allows, and half a surrogate pair is no character.
  return Array.from(text.slice(0, 2 * longest)).slice(0, longest).join('');
}
