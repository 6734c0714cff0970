import sharp, { type Sharp } from 'sharp';
import { grain, grainSide } from './grain.js';
import { harbour, hillsAtDawn, lighthouse, poppies, soapBubbles, streetAtNight, wheel } from './scenes.js';

/** A photo that the repository makes itself, the same at every run. */
export interface Sample {
  readonly name: string;
  /** @param size 1 for photos as cameras make them (up to 4000 px), less for smaller ones */
  readonly make: (size: number) => Promise<Buffer>;
}

/** One of each that has gone wrong somewhere before: turned by EXIF, in a wide colour space, see-through, animated, a scan. */
export const samples: readonly Sample[] = [
  { name: 'hills-at-dawn.jpg', make: (size) => jpeg(grained(hillsAtDawn(10 * size), 11)) },
  { name: 'lighthouse-turned-by-exif.jpg', make: turnedByExif },
  { name: 'poppies-display-p3.jpg', make: (size) => jpeg(grained(poppies(9 * size), 13).withIccProfile('p3')) },
  { name: 'street-at-night.jpg', make: (size) => jpeg(grained(streetAtNight(6 * size), 17)) },
  { name: 'harbour-scan.tiff', make: (size) => grained(harbour(6 * size), 19).tiff({ compression: 'lzw', predictor: 'horizontal' }).toBuffer() },
  { name: 'soap-bubbles-alpha.png', make: (size) => sharp(soapBubbles(5 * size)).png({ compressionLevel: 6 }).toBuffer() },
  { name: 'wheel-animated.gif', make: (size) => turningWheel(1.2 * size) },
];

const jpeg = (picture: Sharp): Promise<Buffer> => picture.jpeg({ quality: 88 }).toBuffer();

function grained(drawing: Buffer, seed: number): Sharp {
  return sharp(drawing).removeAlpha().composite([{ input: grain(seed, 24), raw: { width: grainSide, height: grainSide, channels: 3 }, tile: true, blend: 'overlay' }]);
}

// As a camera that is held upright stores it: the pixels lie on their side, and orientation 6 asks viewers to turn them.
async function turnedByExif(size: number): Promise<Buffer> {
  const upright = await grained(lighthouse(10 * size), 12).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = upright.info;
  return jpeg(sharp(upright.data, { raw: { width, height, channels } }).rotate(270).withMetadata({ orientation: 6 }));
}

async function turningWheel(scale: number): Promise<Buffer> {
  const frames = Array.from({ length: 6 }, (_, index) => wheel(scale, index / 6));
  return sharp(await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer())), { join: { animated: true } }).gif({ effort: 1, delay: frames.map(() => 90) }).toBuffer();
}
