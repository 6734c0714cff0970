/** Is the file shorter than its RIFF header says? */
export const webpEndsEarly = (bytes: Buffer): boolean => bytes.readUInt32LE(4) + 8 > bytes.length;
