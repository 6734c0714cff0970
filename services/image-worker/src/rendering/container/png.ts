const CHUNK_OVERHEAD_BYTES = 12; // length, type, CRC

/** Do the chunks stop before IEND? */
export function pngEndsEarly(bytes: Buffer): boolean {
  for (let at = 8; at + CHUNK_OVERHEAD_BYTES <= bytes.length; ) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IEND' || !/^[A-Za-z]{4}$/.test(type)) return false;
    at += CHUNK_OVERHEAD_BYTES + bytes.readUInt32BE(at);
  }
  return true;
}
