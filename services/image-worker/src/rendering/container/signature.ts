/** The formats that are read, by the name that goes into SourceFacts.format. */
export type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif';

const startsWith = (bytes: Buffer, text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;

/**
 * Which readable format the first bytes announce, whatever the file's name says; undefined for everything else.
 * The decoder decides what a picture is: this is asked only once it has refused the bytes, to say how it failed.
 */
export function announcedFormat(bytes: Buffer): Format | undefined {
  if (startsWith(bytes, '\xff\xd8\xff')) return 'jpeg';
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) return 'gif';
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) return 'webp';
  if (['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].some((magic) => startsWith(bytes, magic))) return 'tiff';
  if (startsWith(bytes, 'ftyp', 4) && brands(bytes).some((brand) => brand === 'avif' || brand === 'avis')) return 'avif';
  return undefined;
}

// A ftyp box: size, 'ftyp', major brand, minor version, then compatible brands of four bytes each.
function brands(bytes: Buffer): string[] {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length);
  const found = [bytes.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) found.push(bytes.toString('latin1', at, at + 4));
  return found;
}
