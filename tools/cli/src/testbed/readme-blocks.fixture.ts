/** A part of a README that can be played: what happens besides, or a block of commands with what they print. */
export type Scene =
  | { readonly what: 'meanwhile' | 'during'; readonly act: string }
  | { readonly what: 'block'; readonly commands: readonly string[]; readonly text: string };

const scenes = /<!-- (meanwhile|during): (.+?) -->|```console\n([\s\S]*?)```/g;

/** In the order in which they stand. `<!-- meanwhile: … -->` happens before the next block, `<!-- during: … -->` as soon as the next command has printed something. */
export const scenesOf = (readme: string): Scene[] => [...readme.matchAll(scenes)].map(([, what, act = '', text = '']) =>
  (what === 'meanwhile' || what === 'during' ? { what, act } : { what: 'block', text, commands: text.split('\n').filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) }));

/** The README with the blocks' texts replaced, in order. */
export function withBlocks(readme: string, texts: readonly string[]): string {
  let next = 0;
  return readme.replaceAll(/```console\n[\s\S]*?```/g, (block) => `\`\`\`console\n${texts[next++] ?? block}\`\`\``);
}

/** What differs from run to run made alike: times, ages, fences, and the columns that give way to them. */
export function normalised(text: string): string {
  const fences = new Map<string, string>();
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b1[67]\d{14}\b/g, (fence) => {
      if (!fences.has(fence)) fences.set(fence, `FENCE-${fences.size + 1}`);
      return fences.get(fence) ?? fence;
    })
    .replaceAll(/\b\d+(\.\d+)? s\b/g, 'AGE')
    .replaceAll(/ {2,}/g, '  ');
}
