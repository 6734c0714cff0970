/**
 * A request of a client stream that is in protobuf already, so that it is not copied once more to get there. Its memory may be written anew as soon as the next request is
 * asked for.
 */
export class Encoded {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
