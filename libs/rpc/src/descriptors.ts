import { readFileSync } from 'node:fs';
import { create, createFileRegistry, fromBinary, toBinary, type FileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, type FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** grpc.health.v1 and grpc.reflection.v1, v1alpha, from the packages that serve them; README says how it was made. */
const STANDARD_IMAGE = new URL('../src/standard-services.binpb', import.meta.url);

/** buf's own note beside each file of an image (buf.alpha.image.v1.ImageFile); no part of a descriptor. */
const BUF_EXTENSION = 8042;

/** The files of descriptor images, found by name, symbol or extension. Answers are FileDescriptorProtos, dependencies first file included. */
export class Descriptors {
  readonly #files = new Map<string, FileDescriptorProto>();
  readonly #registry: FileRegistry;

  /** @throws Error for an image that lacks a file which another one imports. */
  constructor(images: readonly Uint8Array[]) {
    for (const image of [...images, readFileSync(STANDARD_IMAGE)]) {
      for (const file of fromBinary(FileDescriptorSetSchema, image).file) {
        if (file.$unknown !== undefined) file.$unknown = file.$unknown.filter((field) => field.no !== BUF_EXTENSION);
        // Several images hold google/protobuf/timestamp.proto; the first serves all.
        if (!this.#files.has(file.name)) this.#files.set(file.name, file);
      }
    }
    this.#registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...this.#files.values()] }));
  }

  hasService(name: string): boolean {
    return this.#registry.getService(name) !== undefined;
  }

  /** The file and everything that it imports, itself first; undefined if there is no such file. */
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

  /** By the full name of a message, enum, service or extension, or of a field, enum value or method within one. */
  bySymbol(symbol: string): Uint8Array[] | undefined {
    const descriptor = this.#registry.get(symbol);
    if (descriptor !== undefined) return this.byName(descriptor.file.proto.name);
    const owner = symbol.slice(0, Math.max(0, symbol.lastIndexOf('.')));
    return owner !== '' && this.#memberOf(owner, symbol.slice(owner.length + 1)) ? this.bySymbol(owner) : undefined;
  }

  #memberOf(owner: string, member: string): boolean {
    const descriptor = this.#registry.get(owner);
    switch (descriptor?.kind) {
      case 'message': return [...descriptor.fields, ...descriptor.oneofs].some((field) => field.name === member);
      case 'enum': return descriptor.values.some((value) => value.name === member);
      case 'service': return descriptor.methods.some((method) => method.name === member);
      default: return false;
    }
  }

  byExtension(type: string, number: number): Uint8Array[] | undefined {
    const message = this.#registry.getMessage(type);
    const extension = message === undefined ? undefined : this.#registry.getExtensionFor(message, number);
    return extension === undefined ? undefined : this.byName(extension.file.proto.name);
  }

  /** The numbers of all known extensions of a message; undefined if there is no such message. */
  extensionNumbers(type: string): number[] | undefined {
    if (this.#registry.getMessage(type) === undefined) return undefined;
    return [...this.#registry].flatMap((d) => (d.kind === 'extension' && d.extendee.typeName === type ? [d.number] : []));
  }
}
