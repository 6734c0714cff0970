import { once } from 'node:events';
import { Metadata, status, type CallOptions as GrpcCallOptions, type Client, type ClientWritableStream, type ServiceError } from '@grpc/grpc-js';
import type { CallOptions } from './client.js';
import type { MethodDefinition } from './definition.js';
import { Fault } from './fault.js';
import { fromServiceError, TRANSPORT } from './service-error.js';

/** Timers hold no more; about 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

type Answered = (error: ServiceError | null, value?: unknown) => void;

export function unaryCall(client: Client, method: MethodDefinition, request: unknown, o: CallOptions, defaultTimeoutMs: number): Promise<unknown> {
  const options = deadlineIn(finite(o.timeoutMs) ?? defaultTimeoutMs);
  return underSignal(o.signal, (answered) =>
    client.makeUnaryRequest(method.path, serializer(method), deserializer(method), request, new Metadata(), options, answered));
}

/** Yields the answers; ends the call when the consumer stops early. */
export async function* serverStreamCall(client: Client, method: MethodDefinition, request: unknown, o: CallOptions): AsyncGenerator<unknown, void, undefined> {
  refuseIfAborted(o.signal);
  const call = client.makeServerStreamRequest(method.path, serializer(method), deserializer(method), request, new Metadata(), streamOptions(o));
  // After the consumer has left, the call still reports its CANCELLED, and an unheard 'error' event would end the process.
  call.on('error', () => undefined);
  const cancel = (): void => call.cancel();
  o.signal?.addEventListener('abort', cancel, { once: true });
  try {
    const answers: AsyncIterable<unknown> = call;
    yield* answers;
  } catch (error) {
    throw faultOf(error, o.signal);
  } finally {
    o.signal?.removeEventListener('abort', cancel);
    call.cancel();
  }
}

/** Sends the requests as fast as the server reads them. What the iterable throws cancels the call and is thrown on as it is. */
export async function clientStreamCall(client: Client, method: MethodDefinition, requests: AsyncIterable<unknown>, o: CallOptions): Promise<unknown> {
  const ended = new AbortController();
  const source: { error?: unknown; failed: boolean } = { failed: false };
  try {
    return await underSignal(o.signal, (answered) => {
      const call = client.makeClientStreamRequest(method.path, serializer(method), deserializer(method), new Metadata(), streamOptions(o), answered);
      call.on('error', () => undefined);
      pump(call, requests, ended.signal).catch((error: unknown) => {
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

async function pump(call: ClientWritableStream<unknown>, requests: AsyncIterable<unknown>, ended: AbortSignal): Promise<void> {
  for await (const request of requests) {
    if (ended.aborted) return;
    if (!call.write(request)) await once(call, 'drain', { signal: ended });
  }
  call.end();
}

/** One call with one answer, cancelled by the signal. */
function underSignal(signal: AbortSignal | undefined, begin: (answered: Answered) => { cancel(): void }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    refuseIfAborted(signal);
    const call = begin((error, value) => {
      signal?.removeEventListener('abort', cancel);
      if (error === null) resolve(value);
      else reject(faultOf(error, signal));
    });
    const cancel = (): void => call.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

const cancelled = (signal: AbortSignal): Fault =>
  new Fault({ code: status.CANCELLED, reason: 'CANCELLED', domain: TRANSPORT, message: 'the call was cancelled by its caller', cause: signal.reason });

function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled(signal);
}

function faultOf(error: unknown, signal: AbortSignal | undefined): Fault {
  const fault = fromServiceError(error);
  return fault.code === status.CANCELLED && signal?.aborted === true ? cancelled(signal) : fault;
}

const finite = (timeoutMs: number | undefined): number | undefined => (timeoutMs !== undefined && Number.isFinite(timeoutMs) ? timeoutMs : undefined);
const deadlineIn = (timeoutMs: number): GrpcCallOptions => ({ deadline: Date.now() + Math.min(timeoutMs, MAX_TIMEOUT_MS) });

function streamOptions(o: CallOptions): GrpcCallOptions {
  const timeoutMs = finite(o.timeoutMs);
  return timeoutMs === undefined ? {} : deadlineIn(timeoutMs);
}

const serializer = (method: MethodDefinition) => (value: unknown): Buffer => method.requestSerialize(value);
const deserializer = (method: MethodDefinition) => (bytes: Buffer): unknown => method.responseDeserialize(bytes);
