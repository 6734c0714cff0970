import type { handleClientStreamingCall, handleServerStreamingCall, handleUnaryCall, Server } from '@grpc/grpc-js';
import { serviceName, type Definition, type HandlersOf, type MethodDefinition } from './definition.js';
import type { CallContext } from './call-context.js';
import type { CallRunner, ErasedHandler } from './call-runner.js';

type ErasedHandlers = Readonly<Record<string, ErasedHandler>>;

/** A service of an edge with its handlers, ready for a GrpcServer. */
export interface ServiceBinding {
  /** Full name, such as `leasehold.queue.v1.QueueService`. */
  readonly name: string;
  /** Named in every ErrorInfo of the service. */
  readonly domain: string;
  /** Called by GrpcServer. */
  register(server: Server, runner: CallRunner): void;
}

/**
 * Binds handlers to a generated service definition (`QueueServiceService`). Every method needs a handler of the right type.
 * @param o.domain the edge, as its proto says, for example `queue.leasehold`.
 */
export function service<D extends Definition>(definition: D, handlers: HandlersOf<D>, o: { domain: string }): ServiceBinding;
export function service(definition: Definition, handlers: ErasedHandlers, o: { domain: string }): ServiceBinding {
  const bound = Object.entries(definition).map(([name, method]) => {
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`${method.path} has no handler`);
    // Called on its object: handlers may be a class instance.
    return { method, handler: (input: unknown, call: CallContext) => handler.call(handlers, input, call) };
  });
  return {
    name: serviceName(definition),
    domain: o.domain,
    register: (server, runner) => {
      for (const { method, handler } of bound) registerMethod(server, method, handler, runner);
    },
  };
}

function registerMethod(server: Server, method: MethodDefinition, handler: ErasedHandler, runner: CallRunner): void {
  const { path, requestStream, responseStream } = method;
  const serialize = runner.serializer(method);
  const deserialize = (bytes: Buffer): unknown => method.requestDeserialize(bytes);
  if (requestStream && responseStream) throw new Error(`${path}: streams both ways are not supported`);
  if (requestStream) {
    const handle: handleClientStreamingCall<unknown, unknown> = (call, callback) => runner.clientStream(path, handler, call, callback);
    server.register(path, handle, serialize, deserialize, 'clientStream');
  } else if (responseStream) {
    const handle: handleServerStreamingCall<unknown, unknown> = (call) => runner.serverStream(path, handler, call);
    server.register(path, handle, serialize, deserialize, 'serverStream');
  } else {
    const handle: handleUnaryCall<unknown, unknown> = (call, callback) => runner.unary(path, handler, call, callback);
    server.register(path, handle, serialize, deserialize, 'unary');
  }
}
