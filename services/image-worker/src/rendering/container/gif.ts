const EXTENSION = 0x21;
const IMAGE = 0x2c;
const SCREEN_BYTES = 13;

/** Do the blocks stop before the trailer? */
export function gifEndsEarly(bytes: Buffer): boolean {
  if (bytes.length < SCREEN_BYTES) return true;
  let at = SCREEN_BYTES + colourTableBytes(bytes.readUInt8(10));
  while (at < bytes.length) {
    const block = bytes.readUInt8(at);
    if (block === EXTENSION) at = afterSubBlocks(bytes, at + 2);
    else if (block === IMAGE && at + 10 <= bytes.length) at = afterSubBlocks(bytes, at + 11 + colourTableBytes(bytes.readUInt8(at + 9)));
    else return block === IMAGE; // an image descriptor that is cut; neither the trailer nor any other byte is an early end
  }
  return true;
}

const colourTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1));

function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let size = bytes[at]; size !== undefined && size > 0; size = bytes[at]) at += 1 + size;
  return at + 1;
}
