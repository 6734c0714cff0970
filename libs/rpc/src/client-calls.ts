import { setMaxListeners } from 'node:events';
import { Metadata, status, type CallOptions as GrpcCallOptions, type ClientWritableStream, type ServiceError } from '@grpc/grpc-js';
import type { Logger } from '@leasehold/service';
import type { CallOptions } from './client.js';
import type { Connections } from './connections.js';
import type { MethodDefinition } from './definition.js';
import { Encoded } from './encoded.js';
import { Fault } from './fault.js';
import { fromServiceError, TRANSPORT } from './service-error.js';

/** 24 days. Timers hold 2^31 - 1 ms, and a server that reads a little more, as grpc-timeout is rounded up, sees a deadline in the past. */
const MAX_TIMEOUT_MS = 24 * 24 * 3600 * 1000;

type Answered = (error: ServiceError | null, value?: unknown) => void;

/** A method of one client, ready to be called. */
export interface Callee {
  readonly connections: Connections;
  readonly method: MethodDefinition;
  readonly defaultTimeoutMs: number;
  readonly logger: Logger | undefined;
}

export function unaryCall(callee: Callee, request: unknown, o: CallOptions): Promise<unknown> {
  const { connections: { client }, method } = callee;
  const options = deadlineIn(finite(o.timeoutMs) ?? callee.defaultTimeoutMs);
  return underSignal(callee, o.signal, (answered) =>
    client.makeUnaryRequest(method.path, serializer(method), deserializer(method), request, new Metadata(), options, answered));
}

/** Yields the answers; ends the call when the consumer stops early. */
export async function* serverStreamCall(callee: Callee, request: unknown, o: CallOptions): AsyncGenerator<unknown, void, undefined> {
  const { connections: { client }, method } = callee;
  const call = begun(o.signal, () =>
    client.makeServerStreamRequest(method.path, serializer(method), deserializer(method), request, new Metadata(), streamOptions(o)));
  // After the consumer has left, the call still reports its CANCELLED, and an unheard 'error' event would end the process.
  call.on('error', () => undefined);
  const cancel = (): void => call.cancel();
  listen(o.signal, cancel);
  try {
    const answers: AsyncIterable<unknown> = call;
    yield* answers;
  } catch (error) {
    throw faultOf(callee, error, o.signal);
  } finally {
    o.signal?.removeEventListener('abort', cancel);
    call.cancel();
  }
}

/** Sends the requests as fast as the server reads them, and asks for the next once the last needs its memory no more. What the iterable throws cancels the call and is thrown on as it is. */
export async function clientStreamCall(callee: Callee, requests: AsyncIterable<unknown>, o: CallOptions): Promise<unknown> {
  const { connections: { client }, method } = callee;
  const ended = new AbortController();
  const source: { error?: unknown; failed: boolean } = { failed: false };
  try {
    return await underSignal(callee, o.signal, (answered) => {
      const call = client.makeClientStreamRequest(method.path, asItIs, deserializer(method), new Metadata(), streamOptions(o), answered);
      call.on('error', () => undefined);
      pump(call, encodedOf(method, requests), ended.signal).catch((error: unknown) => {
        if (ended.signal.aborted) return;
        Object.assign(source, { error, failed: true });
        call.cancel();
      });
      return call;
    });
  } catch (error) {
    throw source.failed ? source.error : error;
  } finally {
    ended.abort();
  }
}

async function pump(call: ClientWritableStream<Buffer>, requests: AsyncIterable<Buffer>, ended: AbortSignal): Promise<void> {
  for await (const request of requests) if (ended.aborted || !(await written(call, request, ended))) return;
  call.end();
}

/** Resolves once the message was copied and passed on; false when the call is over, which its status tells better than the write does. */
const written = (call: ClientWritableStream<Buffer>, message: Buffer, ended: AbortSignal): Promise<boolean> => new Promise((resolve) => {
  const over = (): void => resolve(false);
  ended.addEventListener('abort', over, { once: true });
  call.write(message, (error?: Error | null) => {
    ended.removeEventListener('abort', over);
    resolve(error === undefined || error === null);
  });
});

async function* encodedOf(method: MethodDefinition, requests: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const request of requests) yield request instanceof Encoded ? request.bytes : method.requestSerialize(request);
}

/** One call with one answer, cancelled by the signal. */
function underSignal(callee: Callee, signal: AbortSignal | undefined, begin: (answered: Answered) => { cancel(): void }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const answered: Answered = (error, value) => {
      signal?.removeEventListener('abort', cancel);
      if (error === null) resolve(value);
      else reject(faultOf(callee, error, signal));
    };
    const call = begun(signal, () => begin(answered));
    const cancel = (): void => call.cancel();
    listen(signal, cancel);
  });
}

function listen(signal: AbortSignal | undefined, cancel: () => void): void {
  if (signal === undefined) return;
  // Node warns of a leak from the eleventh on; here each goes with its call, and a caller's signal may govern many calls at once.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', cancel, { once: true });
}

const cancelled = (signal: AbortSignal): Fault =>
  new Fault({ code: status.CANCELLED, reason: 'CANCELLED', domain: TRANSPORT, message: 'the call was cancelled by its caller', cause: signal.reason });

/** grpc-js throws at once when the client was closed; everything else it reports later. */
function begun<Call>(signal: AbortSignal | undefined, begin: () => Call): Call {
  if (signal?.aborted === true) throw cancelled(signal);
  try {
    return begin();
  } catch (error) {
    throw fromServiceError(error);
  }
}

function faultOf(callee: Callee, error: unknown, signal: AbortSignal | undefined): Fault {
  const fault = fromServiceError(error);
  if (fault.domain !== TRANSPORT) return fault;
  // What a server said is its caller's to judge; what happened on the way is seen only here.
  callee.logger?.debug({ event: 'rpc_client_fault', method: callee.method.path, code: fault.code, reason: fault.reason }, fault.message);
  if (fault.code !== status.CANCELLED) return fault;
  if (signal?.aborted === true) return cancelled(signal);
  // Nobody here cancelled: the server broke the call off, as one does that stops.
  return new Fault({ code: status.UNAVAILABLE, reason: 'UNAVAILABLE', domain: TRANSPORT, message: 'the server broke the call off', cause: error });
}

const finite = (timeoutMs: number | undefined): number | undefined => (timeoutMs !== undefined && Number.isFinite(timeoutMs) ? timeoutMs : undefined);
const deadlineIn = (timeoutMs: number): GrpcCallOptions => ({ deadline: Date.now() + Math.min(timeoutMs, MAX_TIMEOUT_MS) });

function streamOptions(o: CallOptions): GrpcCallOptions {
  const timeoutMs = finite(o.timeoutMs);
  return timeoutMs === undefined ? {} : deadlineIn(timeoutMs);
}

const asItIs = (bytes: Buffer): Buffer => bytes;
const serializer = (method: MethodDefinition) => (value: unknown): Buffer => method.requestSerialize(value);
const deserializer = (method: MethodDefinition) => (bytes: Buffer): unknown => method.responseDeserialize(bytes);
