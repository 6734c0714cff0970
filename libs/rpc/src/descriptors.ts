import { readFileSync } from 'node:fs';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';
import { servicesOf, symbolsOf } from './symbols.js';

/** grpc.health.v1 and grpc.reflection.v1, v1alpha, from the packages that serve them; README says how it was made. */
const STANDARD_IMAGE = new URL('../src/standard-services.binpb', import.meta.url);

/** buf's own note beside each file of an image (buf.alpha.image.v1.ImageFile); no part of a descriptor. */
const BUF_EXTENSION = 8042;

/** The files of descriptor images, by file name or symbol. Answers are encoded FileDescriptorProtos, the file asked for first. */
export class Descriptors {
  readonly #files = new Map<string, FileDescriptorProto>();
  readonly #fileOf = new Map<string, string>();
  readonly #services = new Set<string>();

  /** @throws Error for an image that lacks a file which it imports: strict clients would refuse what is served of it. */
  constructor(images: readonly Uint8Array[]) {
    for (const image of [...images, readFileSync(STANDARD_IMAGE)]) fromBinary(FileDescriptorSetSchema, image).file.forEach((file) => this.#add(file));
    for (const { name, dependency } of this.#files.values()) {
      for (const imported of dependency) if (!this.#files.has(imported)) throw new Error(`the images lack ${imported}, which ${name} imports`);
    }
  }

  #add(file: FileDescriptorProto): void {
    // Several images hold google/protobuf/timestamp.proto; the first serves all.
    if (this.#files.has(file.name)) return;
    if (file.$unknown !== undefined) file.$unknown = file.$unknown.filter((field) => field.no !== BUF_EXTENSION);
    this.#files.set(file.name, file);
    for (const symbol of symbolsOf(file)) this.#fileOf.set(symbol, file.name);
    for (const service of servicesOf(file)) this.#services.add(service);
  }

  /** By full name. */
  hasService(name: string): boolean {
    return this.#services.has(name);
  }

  /** The file and everything that it imports; undefined if there is no such file. */
  byName(name: string): Uint8Array[] | undefined {
    if (!this.#files.has(name)) return undefined;
    const found = new Map<string, Uint8Array>();
    const add = (next: string): void => {
      const file = this.#files.get(next);
      if (file === undefined || found.has(next)) return;
      found.set(next, toBinary(FileDescriptorProtoSchema, file));
      file.dependency.forEach(add);
    };
    add(name);
    return [...found.values()];
  }

  /** The file that declares a message, field, enum, enum value, service, method or extension, by its full name. */
  bySymbol(symbol: string): Uint8Array[] | undefined {
    const name = this.#fileOf.get(symbol);
    return name === undefined ? undefined : this.byName(name);
  }
}
