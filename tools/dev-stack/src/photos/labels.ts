import { basename, extname } from 'node:path';
import type { Photo } from './photo.js';

/** File names for people, with a number where two files have the same. */
export function labelled(paths: readonly string[]): Photo[] {
  const names = unique(paths.map((path) => basename(path)), (name, count) => `${name} (${count})`);
  return paths.map((path, index) => ({ path, label: names[index] ?? path }));
}

/** `holiday.webp` for `holiday.jpg`, each name once: a.jpg and a.png must not overwrite each other's result. */
export function resultNames(photos: readonly Photo[]): Map<Photo, string> {
  const stems = photos.map(({ path }) => basename(path, extname(path)));
  const names = unique(stems, (stem, count) => `${stem}-${count}`);
  return new Map(photos.map((photo, index) => [photo, `${names[index] ?? 'photo'}.webp`]));
}

// Without regard to case, which not every file system keeps apart.
function unique(names: readonly string[], numbered: (name: string, count: number) => string): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let candidate = name;
    for (let count = 2; taken.has(candidate.toLowerCase()); count += 1) candidate = numbered(name, count);
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}
