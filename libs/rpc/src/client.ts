import { Client } from '@grpc/grpc-js';
import type { Logger } from '@leasehold/service';
import { channelOptions, channelStateOf, DEFAULT_MAX_RECEIVE_BYTES, targetOf, type ChannelState, type Keepalive } from './channel.js';
import { Connections } from './connections.js';
import { clientStreamCall, serverStreamCall, unaryCall, type Callee } from './client-calls.js';
import { channelCredentials, type ClientTls } from './tls-credentials.js';
import { serviceName, type Definition, type RequestOf, type ResponseOf } from './definition.js';
import type { Encoded } from './encoded.js';

export interface CallOptions {
  /** Cancels the call: pass the signal of the call that this one serves. */
  signal?: AbortSignal | undefined;
  /** Until the deadline, in ms. Unary calls have the client's default; streams have none unless it is given. Infinity counts as not given. */
  timeoutMs?: number | undefined;
}

/** What a method of a client looks like. All throw Fault. A server stream begins with the first `next()`; leaving it early cancels it. */
export type ClientMethod<M> = M extends { requestStream: false; responseStream: false }
  ? (request: RequestOf<M>, o?: CallOptions) => Promise<ResponseOf<M>>
  : M extends { requestStream: false; responseStream: true }
    ? (request: RequestOf<M>, o?: CallOptions) => AsyncIterable<ResponseOf<M>>
    : M extends { requestStream: true; responseStream: false }
      ? (requests: AsyncIterable<RequestOf<M> | Encoded>, o?: CallOptions) => Promise<ResponseOf<M>>
      : never;

export interface ClientControls {
  /** Ends the connections; later calls fail as UNAVAILABLE / CHANNEL_CLOSED. */
  close(): void;
  readonly channelState: ChannelState;
}

export type ClientOf<D> = { readonly [K in keyof D]: ClientMethod<D[K]> } & ClientControls;

export interface ClientOptions<Method> {
  /** Of unary calls that give none of their own. Default 10 s. */
  defaultTimeoutMs?: number;
  /** Methods whose repeat is harmless: retried up to 3 times on UNAVAILABLE, within the call's deadline. Requests beyond 1 MiB are not retried. */
  idempotent?: readonly Method[];
  /** Larger answers end the call as RESOURCE_EXHAUSTED / MESSAGE_TOO_LARGE. Default 4 MiB. */
  maxReceiveBytes?: number;
  /** Default: asked every 20 s, given up after 5 s. */
  keepalive?: Keepalive;
  /** mTLS; without it calls are plaintext and may only go to this machine. */
  tls?: ClientTls | undefined;
  /** Hears at level debug of calls that failed on the way, event `rpc_client_fault`. */
  logger?: Logger;
}

/**
 * A typed client with connections of its own, made at the first call.
 * @param address `host:port` or several, over which calls go round robin.
 */
export function createClient<D extends Definition>(definition: D, address: string | readonly string[], o?: ClientOptions<keyof D & string>): ClientOf<D>;
export function createClient(definition: Definition, address: string | readonly string[], o: ClientOptions<string> = {}): object {
  const service = serviceName(definition);
  const retried = (o.idempotent ?? []).map((name) => {
    const method = definition[name];
    if (method === undefined) throw new Error(`${service} has no method ${name}`);
    return { service, method: method.path.slice(method.path.lastIndexOf('/') + 1) };
  });
  const options = channelOptions({ maxReceiveBytes: o.maxReceiveBytes ?? DEFAULT_MAX_RECEIVE_BYTES, keepalive: o.keepalive, secure: o.tls !== undefined, retried });
  const target = targetOf(typeof address === 'string' ? [address] : address, { secure: o.tls !== undefined });
  const connections = new Connections(() => new Client(target, channelCredentials(o.tls), options), o.tls?.certificates);
  const methods = Object.entries(definition).map(([name, method]) => [name, methodOf({ connections, method, defaultTimeoutMs: o.defaultTimeoutMs ?? 10_000, logger: o.logger })] as const);
  return {
    ...Object.fromEntries(methods),
    close: () => connections.close(),
    get channelState() {
      return channelStateOf(connections.client.getChannel().getConnectivityState(false));
    },
  };
}

/** The three kinds of call, with their messages erased: ClientOf gives the types back. */
function methodOf(callee: Callee): unknown {
  const { path, requestStream, responseStream } = callee.method;
  if (requestStream && responseStream) throw new Error(`${path}: streams both ways are not supported`);
  if (requestStream) return (requests: AsyncIterable<unknown>, o: CallOptions = {}) => clientStreamCall(callee, requests, o);
  if (responseStream) return (request: unknown, o: CallOptions = {}) => serverStreamCall(callee, request, o);
  return (request: unknown, o: CallOptions = {}) => unaryCall(callee, request, o);
}
