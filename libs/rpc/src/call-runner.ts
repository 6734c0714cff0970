import { once } from 'node:events';
import type { sendUnaryData, ServerReadableStream, ServerUnaryCall, ServerWritableStream, ServiceError } from '@grpc/grpc-js';
import type { Logger } from '@leasehold/service';
import { admit, type ErasedRule } from './access.js';
import type { CallContext } from './call-context.js';
import { accountOf, limitFault, type Admission, type CallerLimit, type CallerLimiter } from './caller-limiter.js';
import type { CallsUnderWay } from './calls-under-way.js';
import type { MethodDefinition } from './definition.js';
import { Fault } from './fault.js';
import { faults } from './faults.js';
import type { Identity } from './identity.js';
import { ServedCall, type SurfaceCall } from './served-call.js';
import { toServiceError } from './service-error.js';

/** A handler with its messages erased; written as a method for the reason that MethodDefinition gives. */
export type ErasedHandler = { handle(input: unknown, call: CallContext): unknown }['handle'];

/** What a method does, and who may ask for it. */
export interface BoundMethod {
  readonly handler: ErasedHandler;
  readonly rule: ErasedRule;
}

export interface CallRunnerOptions {
  readonly domain: string;
  readonly draining: AbortSignal;
  readonly logger: Logger;
  readonly underWay: CallsUnderWay;
  readonly callers: CallerLimiter;
  /** Hears of each call that a caller's limit refused. */
  readonly onLimited: (limit: CallerLimit) => void;
  /** Who calls. @throws Fault when the caller's certificate does not say so. */
  readonly identify: (call: SurfaceCall, domain: string) => Identity;
}

/** How long an overloaded server asks callers to stay away. */
const OVERLOAD_RETRY_MS = 200;

/** Runs the handlers of one service: gives them their context, and turns whatever they throw into the edge's answer. */
export class CallRunner {
  readonly #o: CallRunnerOptions;

  constructor(o: CallRunnerOptions) {
    this.#o = o;
  }

  unary(path: string, { handler, rule }: BoundMethod, call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>): void {
    void this.#run({ path, stream: false }, call, callback, async (context) => {
      await admitted(rule, call.request, context);
      callback(null, await handler(call.request, context));
    });
  }

  clientStream(path: string, { handler, rule }: BoundMethod, call: ServerReadableStream<unknown, unknown>, callback: sendUnaryData<unknown>): void {
    void this.#run({ path, stream: true }, call, callback, async (context) => {
      const requests = await admittedStream(rule, received(call, context.signal), context);
      callback(null, await handler(requests, context));
    });
  }

  serverStream(path: string, { handler, rule }: BoundMethod, call: ServerWritableStream<unknown, unknown>): void {
    // 'error' is how grpc-js takes the status of a stream; destroying it would lose the status.
    void this.#run({ path, stream: true }, call, (error) => call.emit('error', error), async (context) => {
      await admitted(rule, call.request, context);
      await send(call, handler(call.request, context), context.signal);
      call.end();
    });
  }

  /** grpc-js swallows what a serializer throws, and only a handler that answers a malformed message makes it throw. */
  serializer(method: MethodDefinition): (value: unknown) => Buffer {
    return (value) => {
      try {
        return method.responseSerialize(value);
      } catch (error) {
        this.#o.logger.error({ event: 'rpc_answer_malformed', method: method.path, err: error }, 'a handler answered what its message type cannot hold');
        throw error;
      }
    };
  }

  async #run(of: { path: string; stream: boolean }, call: SurfaceCall, refuse: (error: ServiceError) => void, work: (context: CallContext) => Promise<void>): Promise<void> {
    const { domain, draining, logger, underWay } = this.#o;
    if (!underWay.enter()) {
      const overload = faults(domain).exhausted('TOO_MANY_CALLS', 'this server has too many calls under way', OVERLOAD_RETRY_MS);
      refuse(toServiceError(overload, domain));
      return;
    }
    try {
      const identity = this.#o.identify(call, domain);
      const admission = this.#admission(identity, call.getPeer(), of.stream);
      try {
        await this.#serve(new ServedCall(call, { path: of.path, domain, identity, draining, logger }), refuse, work);
      } finally {
        admission.leave();
      }
    } catch (error) {
      // #serve() answers by itself: this is a caller that is not known, or takes too much.
      refuse(toServiceError(error, domain));
    } finally {
      underWay.leave();
    }
  }

  /** @throws Fault when the caller takes too much. */
  #admission(identity: Identity, peer: string, stream: boolean): Admission {
    const { callers, domain, logger, onLimited } = this.#o;
    const admission = callers.enter(accountOf(identity, peer), stream);
    if (!('limit' in admission)) return admission;
    onLimited(admission.limit);
    logger.debug({ event: 'rpc_limited', identity: identity.id, peer, limit: admission.limit }, 'a caller took more than it may');
    throw limitFault(admission, domain);
  }

  async #serve(context: ServedCall, refuse: (error: ServiceError) => void, work: (context: CallContext) => Promise<void>): Promise<void> {
    try {
      await work(context);
    } catch (error) {
      report(error, context);
      refuse(toServiceError(error, this.#o.domain));
    } finally {
      context.finished();
    }
  }
}

/** The one place where access is decided. */
async function admitted(rule: ErasedRule, request: unknown, context: CallContext): Promise<void> {
  try {
    await admit(rule, request, context);
  } catch (error) {
    if (error instanceof Fault) context.log.warn({ event: 'rpc_denied', identity: context.identity.id, peer: context.peer, reason: error.reason }, error.message);
    throw error;
  }
}

/** The stream, once its first request was admitted: the handler must not begin before. */
async function admittedStream(rule: ErasedRule, requests: AsyncIterable<unknown>, context: CallContext): Promise<AsyncIterable<unknown>> {
  if (context.identity.role === 'local') return requests;
  const rest = requests[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done !== true) await admitted(rule, first.value, context);
  return resumed(first, rest);
}

async function* resumed(first: IteratorResult<unknown>, rest: AsyncIterator<unknown>): AsyncIterable<unknown> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function report(error: unknown, context: CallContext): void {
  if (error instanceof Fault) {
    context.log.debug({ event: 'rpc_refused', code: error.code, reason: error.reason }, error.message);
  } else if (context.signal.aborted) {
    // Nobody waits for the answer, and most such errors are only the abort as a driver words it.
    context.log.debug({ event: 'rpc_abandoned', err: error }, 'the caller was gone before the handler ended');
  } else {
    context.log.error({ event: 'rpc_failed', err: error }, 'a handler threw an error that is no Fault');
  }
}

/** The requests of a client stream; a broken stream throws the reason of the signal, not the stream's own error. */
async function* received(call: ServerReadableStream<unknown, unknown>, signal: AbortSignal): AsyncIterable<unknown> {
  const requests: AsyncIterable<unknown> = call;
  try {
    yield* requests;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Writes one message after the other, waiting while the caller reads slowly; an iterable that is left early is closed. */
async function send(call: ServerWritableStream<unknown, unknown>, messages: unknown, signal: AbortSignal): Promise<void> {
  if (!isAsyncIterable(messages)) throw new TypeError('the handler of a server stream must return an AsyncIterable');
  for await (const message of messages) {
    signal.throwIfAborted();
    if (!call.write(message)) await once(call, 'drain', { signal });
  }
  signal.throwIfAborted();
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
