import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

const width = 4000;
const height = 3000;

/** JPEGs of 4000 x 3000 as cameras make them, of some MB: shapes, shades and grain. The same at every run; each is another picture. */
export async function generatePhotos(folder: string, count: number): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  for (let index = 0; index < count; index++) {
    const path = join(folder, `photo-${index}.jpg`);
    await writeFile(path, await photo(index));
    paths.push(path);
  }
  return paths;
}

async function photo(index: number): Promise<Buffer> {
  const shapes = Array.from({ length: 60 }, (_, i) => {
    const spread = (step: number, most: number): number => Math.round((((i + index * 7 + 1) * step) % 1) * most);
    const colour = `hsl(${spread(0.618, 360)} ${30 + spread(0.755, 50)}% ${25 + spread(0.57, 50)}%)`;
    return `<ellipse cx="${spread(0.7549, width)}" cy="${spread(0.5698, height)}" rx="${80 + spread(0.618, 600)}" ry="${60 + spread(0.414, 420)}" fill="${colour}" fill-opacity="0.7"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="sky" x1="0" y1="0" x2="1" y2="1"><stop stop-color="#1d3461"/><stop offset="1" stop-color="#fde8bd"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#sky)"/>${shapes.join('')}</svg>`;
  const fine = { input: await texture(index, 1, 20), tile: true, blend: 'overlay' } as const;
  const coarse = { input: await texture(index + 100, 3, 45), tile: true, blend: 'overlay' } as const;
  return sharp(Buffer.from(svg)).removeAlpha().composite([coarse, fine]).jpeg({ quality: 88 }).toBuffer();
}

/** Random dots of `size` pixels, softly, around middle grey: what leaves, hair, sand and sensors make of a photo. The same at every run. */
async function texture(seed: number, size: number, strength: number): Promise<Buffer> {
  const side = Math.ceil(1024 / size);
  const samples = Buffer.alloc(side * side * 3);
  let state = seed + 1;
  for (let at = 0; at < samples.length; at += 1) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    samples[at] = 128 + ((((state >> 16) & 255) - 128) * strength) / 128;
  }
  return sharp(samples, { raw: { width: side, height: side, channels: 3 } }).resize(1024, 1024, { kernel: 'cubic' }).png({ compressionLevel: 1 }).toBuffer();
}
