const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

interface Scan {
  /** Where the parameters Ss, Se, AhAl stand. */
  readonly parametersAt: number;
  readonly sequential: boolean;
}

/** Does the stream stop before its end marker? Only markers can begin with ff and a byte other than 00 within a scan, so that looking for ffd9 is exact. */
export function jpegEndsEarly(bytes: Buffer): boolean {
  const scan = firstScan(bytes);
  return scan === 'cut' || (scan !== undefined && bytes.indexOf(END_OF_IMAGE, scan.parametersAt) < 0);
}

/**
 * The same stream with the scan parameters of a sequential JPEG as T.81 (table B.3) fixes them: 0, 63, 0. Some phones write others there;
 * decoders do not use them, but complain, and a complaint means a refusal here.
 */
export function withLawfulScanParameters(bytes: Buffer): Buffer {
  const scan = firstScan(bytes);
  if (scan === undefined || scan === 'cut' || !scan.sequential) return bytes;
  const lawful = Buffer.from([0, 63, 0]);
  if (bytes.subarray(scan.parametersAt, scan.parametersAt + 3).equals(lawful)) return bytes;
  const mended = Buffer.from(bytes);
  lawful.copy(mended, scan.parametersAt);
  return mended;
}

// Walks the segments up to the first scan. `cut` when the bytes run out on the way, undefined when they make no sense.
function firstScan(bytes: Buffer): Scan | 'cut' | undefined {
  let sequential = false;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1; // fill byte
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return undefined;
    if (marker === 0xc0 || marker === 0xc1) sequential = true;
    if (marker === 0xda) return at + 2 + length > bytes.length ? 'cut' : { parametersAt: at + 2 + length - 3, sequential };
    at += 2 + length;
  }
  return 'cut';
}
