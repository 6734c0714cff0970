/** The text that is read but not yet judged: what is left of the last record, and the piece that came after it. */
export class Window {
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  /** Valid until the next change. */
  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(text: Buffer): void {
    const kept = this.#end - this.#start;
    if (this.#end + text.length > this.#buffer.length) {
      const target = kept + text.length > this.#buffer.length ? Buffer.allocUnsafeSlow(2 * (kept + text.length)) : this.#buffer;
      this.#buffer.copy(target, 0, this.#start, this.#end);
      this.#buffer = target;
      this.#start = 0;
      this.#end = kept;
    }
    text.copy(this.#buffer, this.#end);
    this.#end += text.length;
  }

  /** Forgets that many bytes at the front. */
  consume(count: number): void {
    this.#start += count;
  }

  /** Forgets that many bytes at the end. */
  truncate(count: number): void {
    this.#end -= count;
  }
}
