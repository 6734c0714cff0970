/** Does a box reach beyond the end of the file? */
export function avifEndsEarly(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) return true;
    const shortSize = bytes.readUInt32BE(at);
    if (shortSize === 0) return false; // reaches to the end, by definition
    if (shortSize === 1 && at + 16 > bytes.length) return true;
    const size = shortSize === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : shortSize;
    if (size < 8) return false; // no box: corrupt rather than cut
    at += size;
    if (at > bytes.length) return true;
  }
  return false;
}
