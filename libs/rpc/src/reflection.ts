import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { status, type handleBidiStreamingCall, type Server } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';
import type { Descriptors } from './descriptors.js';

/** Both versions are the same but for their package, and clients in use still ask for either. */
const VERSIONS = ['v1', 'v1alpha'] as const;

export const REFLECTION_SERVICES = VERSIONS.map((version) => `grpc.reflection.${version}.ServerReflection`);

/**
 * Serves grpc.reflection: which services there are, and their descriptors with all dependencies, as strict clients such as buf want.
 * (The package @grpc/reflection brings the protocol's files; its own service leaves the dependencies out.)
 * @param services full names; each must be described.
 */
export function addReflection(server: Server, descriptors: Descriptors, services: readonly string[]): void {
  for (const name of REFLECTION_SERVICES) {
    const method = reflectionMethod(name);
    const handle: handleBidiStreamingCall<object, object> = (call) => {
      call.on('data', (request: object) => call.write({ originalRequest: request, ...answer(request, descriptors, services) }));
      call.on('end', () => call.end());
    };
    server.register(method.path, handle, method.responseSerialize, method.requestDeserialize, 'bidi');
  }
}

function reflectionMethod(name: string): MethodDefinition<object, object> {
  const version = name.split('.')[2] ?? '';
  const folder = join(dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto/grpc/reflection', version);
  const definition = loadSync(join(folder, 'reflection.proto'), { oneofs: true, longs: String })[name];
  const method = definition !== undefined && 'ServerReflectionInfo' in definition ? definition.ServerReflectionInfo : undefined;
  if (method === undefined) throw new Error(`@grpc/reflection brings no ${name}`);
  return method;
}

function answer(request: object, descriptors: Descriptors, services: readonly string[]): object {
  if ('listServices' in request) return { listServicesResponse: { service: services.map((name) => ({ name })) } };
  if ('fileByFilename' in request) return filesOf(request.fileByFilename, (name) => descriptors.byName(name));
  if ('fileContainingSymbol' in request) return filesOf(request.fileContainingSymbol, (symbol) => descriptors.bySymbol(symbol));
  // Edges are proto3 and declare no extensions, so nobody has a reason to ask for them.
  return failed(status.UNIMPLEMENTED, 'this question is not known here');
}

function filesOf(key: unknown, find: (key: string) => Uint8Array[] | undefined): object {
  const name = String(key);
  const files = find(name);
  return files === undefined ? failed(status.NOT_FOUND, name) : { fileDescriptorResponse: { fileDescriptorProto: files } };
}

const failed = (errorCode: status, errorMessage: string): object => ({ errorResponse: { errorCode, errorMessage } });
