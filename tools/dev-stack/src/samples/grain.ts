/** Side of the square in pixels; it repeats over a picture. */
export const grainSide = 256;

/**
 * Film grain: grey noise around the middle, the same for the same seed. To be blended over a drawing, which would otherwise compress like none of
 * the photos that the sample stands for.
 * @param strength largest distance from the middle, 1 to 127
 * @returns RGB, 8 bits
 */
export function grain(seed: number, strength: number): Buffer {
  const pixels = Buffer.alloc(grainSide * grainSide * 3);
  let state = seed >>> 0;
  for (let at = 0; at < pixels.length; at += 3) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Numerical Recipes' generator; its high bits are good enough to look at.
    pixels.fill(128 + Math.trunc((((state >>> 24) - 128) * strength) / 128), at, at + 3);
  }
  return pixels;
}
