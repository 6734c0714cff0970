const TAG = { compression: 259, stripOffsets: 273, stripBytes: 279, tileOffsets: 324, tileBytes: 325 };

// Bytes of one value by TIFF's number of its type, 1 (BYTE) to 18 (IFD8).
const VALUE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

interface Field {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly valuesAt: number;
  readonly endsAt: number;
}

/** Does the first page's directory, a value that it points to, or a strip or tile reach beyond the end of the file? */
export function tiffEndsEarly(bytes: Buffer): boolean {
  const reader = readerOf(bytes);
  const fields = reader && firstDirectory(reader, bytes.length);
  if (fields === undefined || fields.some((field) => field.endsAt > bytes.length)) return true;
  const numbers = (tag: number): number[] => reader?.numbers(fields.find((field) => field.tag === tag)) ?? [];
  const reachesBeyond = (offsets: number[], sizes: number[]): boolean => offsets.some((offset, i) => offset + (sizes[i] ?? 0) > bytes.length);
  return reachesBeyond(numbers(TAG.stripOffsets), numbers(TAG.stripBytes)) || reachesBeyond(numbers(TAG.tileOffsets), numbers(TAG.tileBytes));
}

/** The first page's compression by its number in the TIFF registry (1 none, 5 LZW, 8 Deflate, ...), when its directory can be read. */
export function tiffCompression(bytes: Buffer): number | undefined {
  const reader = readerOf(bytes);
  const field = reader && firstDirectory(reader, bytes.length)?.find(({ tag }) => tag === TAG.compression);
  return reader?.numbers(field)[0];
}

interface Reader {
  readonly isBig: boolean;
  readonly int16: (at: number) => number;
  /** An offset or a count: 32 bits in a classic TIFF, 64 in a BigTIFF. */
  readonly word: (at: number) => number;
  /** A field's values where they are whole numbers; none for a missing field. */
  readonly numbers: (field: Field | undefined) => number[];
}

// Both byte orders, classic TIFF (magic 42) and BigTIFF (43).
function readerOf(bytes: Buffer): Reader | undefined {
  if (bytes.length < 16) return undefined;
  const bigEndian = bytes[0] === 0x4d;
  const int16 = (at: number): number => (bigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
  const int32 = (at: number): number => (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const int64 = (at: number): number => Number(bigEndian ? bytes.readBigUInt64BE(at) : bytes.readBigUInt64LE(at));
  const isBig = int16(2) === 43;
  const wholes = new Map([[3, int16], [4, int32], [16, int64]]);
  return {
    isBig,
    int16,
    word: isBig ? int64 : int32,
    numbers: (field) => {
      const read = field && wholes.get(field.type);
      if (field === undefined || read === undefined || field.endsAt > bytes.length) return [];
      return Array.from({ length: field.count }, (_, i) => read(field.valuesAt + i * (VALUE_BYTES[field.type] ?? 0)));
    },
  };
}

// Undefined when the directory does not lie within the file.
function firstDirectory({ isBig, int16, word }: Reader, fileBytes: number): Field[] | undefined {
  const [wordBytes, countBytes, entryBytes] = isBig ? [8, 8, 20] : [4, 2, 12];
  const directory = word(isBig ? 8 : 4);
  if (directory + countBytes > fileBytes) return undefined;
  const entries = isBig ? word(directory) : int16(directory);
  const first = directory + countBytes;
  if (first + entries * entryBytes > fileBytes) return undefined;
  return Array.from({ length: entries }, (_, i) => {
    const at = first + i * entryBytes;
    const type = int16(at + 2);
    const count = word(at + 4);
    const size = count * (VALUE_BYTES[type] ?? 0);
    const inline = at + 4 + wordBytes;
    const valuesAt = size <= wordBytes ? inline : word(inline);
    return { tag: int16(at), type, count, valuesAt, endsAt: valuesAt + size };
  });
}
