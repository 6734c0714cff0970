// What goes over the pipe between the pool and a child, both ways: two lengths of 32 bits, a header in JSON, a body of plain bytes.
const PREFIX_BYTES = 8;

export interface Frame {
  /** JSON. */
  readonly header: string;
  readonly body: Buffer;
}

/** Everything of a frame but its body, which follows as it is: megabytes are not copied. */
export function frameHead(header: object, bodyBytes: number): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(json.length, 0);
  prefix.writeUInt32BE(bodyBytes, 4);
  return Buffer.concat([prefix, json]);
}

/**
 * Takes frames apart without a further copy of what it is given. It asks for pieces: fill `wanted` from its start, say how much, and take the frame
 * once there is one.
 */
export class FrameReader {
  readonly #mostBytes: number;
  #prefix: Buffer | undefined;
  #header: string | undefined;
  #piece = Buffer.allocUnsafeSlow(PREFIX_BYTES);
  #filled = 0;

  /** @param mostBytes a header or body above it is refused before memory is taken for it */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Where the next bytes go; never empty. */
  get wanted(): Buffer {
    return this.#piece.subarray(this.#filled);
  }

  /** Has no frame begun? */
  get isBetweenFrames(): boolean {
    return this.#prefix === undefined && this.#filled === 0;
  }

  /** The first `bytes` of `wanted` are there now. Answers the frame when they were its last. Throws for what is no frame. */
  filled(bytes: number): Frame | undefined {
    this.#filled += bytes;
    while (this.#filled === this.#piece.length) {
      const piece = this.#piece;
      if (this.#prefix === undefined) {
        this.#prefix = piece;
        this.#expect(piece.readUInt32BE(0));
      } else if (this.#header === undefined) {
        this.#header = piece.toString('utf8');
        this.#expect(this.#prefix.readUInt32BE(4));
      } else {
        const frame = { header: this.#header, body: piece };
        this.#prefix = this.#header = undefined;
        this.#expect(PREFIX_BYTES);
        return frame;
      }
    }
    return undefined;
  }

  #expect(bytes: number): void {
    if (bytes > this.#mostBytes) throw new RangeError(`a piece of ${bytes} bytes, at most ${this.#mostBytes} are taken`);
    this.#piece = Buffer.allocUnsafeSlow(bytes);
    this.#filled = 0;
  }
}
