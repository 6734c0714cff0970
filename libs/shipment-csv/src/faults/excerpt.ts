const longest = 64;
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800"\\]/gu;

/** A field as a fault may show it: at most 64 characters of it, in quotes, with everything that cannot be seen written as `\u{hex}`. */
export function excerpt(field: string): string {
  // Sliced first: a field may be as long as the limit allows, and half a surrogate pair is no character.
  const characters = Array.from(field.slice(0, 2 * longest + 2));
  const shown = characters.slice(0, longest).join('').replace(unseen, (character) => (character === ' ' ? ' ' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`));
  return `"${shown}${characters.length > longest ? '…' : ''}"`;
}
