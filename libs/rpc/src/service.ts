import type { handleClientStreamingCall, handleServerStreamingCall, handleUnaryCall, Server } from '@grpc/grpc-js';
import { serviceName, type Definition, type HandlersOf, type MethodDefinition } from './definition.js';
import type { AccessOf, Caller, ErasedRule } from './access.js';
import type { CallContext } from './call-context.js';
import type { BoundMethod, CallRunner, ErasedHandler } from './call-runner.js';

type ErasedHandlers = Readonly<Record<string, ErasedHandler>>;
type ErasedAccess = Readonly<Record<string, ErasedRule>>;

/** A service of an edge with its handlers, ready for a GrpcServer. */
export interface ServiceBinding {
  /** Full name, such as `leasehold.queue.v1.QueueService`. */
  readonly name: string;
  /** Named in every ErrorInfo of the service. */
  readonly domain: string;
  /** Whether an access table says who may call what; a server that speaks TLS takes no service without. */
  readonly guarded: boolean;
  /** Called by GrpcServer. */
  register(server: Server, runner: CallRunner): void;
}

/**
 * Binds handlers to a generated service definition (`QueueServiceService`). Every method needs a handler of the right type.
 * @param o.domain the edge, as its proto says, for example `queue.leasehold`.
 * @param o.access who may call what; without it the service can be served on plaintext, to callers on this machine, only.
 */
export function service<D extends Definition>(definition: D, handlers: HandlersOf<D>, o: { domain: string; access?: AccessOf<D> }): ServiceBinding;
export function service(definition: Definition, handlers: ErasedHandlers, o: { domain: string; access?: ErasedAccess }): ServiceBinding {
  const bound = Object.entries(definition).map(([name, method]) => {
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`${method.path} has no handler`);
    // Called on its object: handlers may be a class instance.
    return { method, handler: (input: unknown, call: CallContext) => handler.call(handlers, input, call), rule: ruleOf(method, name, o.access) };
  });
  return {
    name: serviceName(definition),
    domain: o.domain,
    guarded: o.access !== undefined,
    register: (server, runner) => {
      for (const { method, handler, rule } of bound) registerMethod(server, method, { handler, rule }, runner);
    },
  };
}

function ruleOf(method: MethodDefinition, name: string, access: ErasedAccess | undefined): ErasedRule {
  if (access === undefined) return () => undefined;
  const rule = access[name];
  if (rule === undefined) throw new Error(`${method.path} has no access rule`);
  return (request: unknown, caller: Caller) => rule.call(access, request, caller);
}

function registerMethod(server: Server, method: MethodDefinition, bound: BoundMethod, runner: CallRunner): void {
  const { path, requestStream, responseStream } = method;
  const serialize = runner.serializer(method);
  const deserialize = (bytes: Buffer): unknown => method.requestDeserialize(bytes);
  if (requestStream && responseStream) throw new Error(`${path}: streams both ways are not supported`);
  if (requestStream) {
    const handle: handleClientStreamingCall<unknown, unknown> = (call, callback) => runner.clientStream(path, bound, call, callback);
    server.register(path, handle, serialize, deserialize, 'clientStream');
  } else if (responseStream) {
    const handle: handleServerStreamingCall<unknown, unknown> = (call) => runner.serverStream(path, bound, call);
    server.register(path, handle, serialize, deserialize, 'serverStream');
  } else {
    const handle: handleUnaryCall<unknown, unknown> = (call, callback) => runner.unary(path, bound, call, callback);
    server.register(path, handle, serialize, deserialize, 'unary');
  }
}
