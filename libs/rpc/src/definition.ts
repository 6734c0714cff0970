import type { CallContext } from './call-context.js';

/**
 * One method of a generated service definition with its messages erased. The serializers are written as methods, which TypeScript
 * compares bivariantly: this is what lets every generated definition, whatever its messages, be a `MethodDefinition` without a cast.
 * The generator pairs each path with its messages, and `HandlersOf` and `ClientOf` give the types back.
 */
export interface MethodDefinition {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  requestSerialize(value: unknown): Buffer;
  requestDeserialize(bytes: Buffer): unknown;
  responseSerialize(value: unknown): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}

/** What ts-proto generates for a service (`QueueServiceService`). */
export type Definition = Readonly<Record<string, MethodDefinition>>;

export type RequestOf<M> = M extends { requestDeserialize: (bytes: Buffer) => infer Q } ? Q : never;
export type ResponseOf<M> = M extends { responseDeserialize: (bytes: Buffer) => infer R } ? R : never;

/** One request, one answer. */
export type Unary<Q, R> = (request: Q, call: CallContext) => Promise<R>;
/** One request, many answers. The iterator is closed (its `finally` runs) when the caller goes away. */
export type ServerStream<Q, R> = (request: Q, call: CallContext) => AsyncIterable<R>;
/** Many requests, one answer. Reading slowly slows the caller down. */
export type ClientStream<Q, R> = (requests: AsyncIterable<Q>, call: CallContext) => Promise<R>;

/** The handler that a method needs. Methods with streams both ways are not supported: `never` keeps them from compiling. */
export type HandlerOf<M> = M extends { requestStream: false; responseStream: false }
  ? Unary<RequestOf<M>, ResponseOf<M>>
  : M extends { requestStream: false; responseStream: true }
    ? ServerStream<RequestOf<M>, ResponseOf<M>>
    : M extends { requestStream: true; responseStream: false }
      ? ClientStream<RequestOf<M>, ResponseOf<M>>
      : never;

/** A handler for every method of the definition; a missing one does not compile. */
export type HandlersOf<D> = { readonly [K in keyof D]: HandlerOf<D[K]> };

/**
 * The full name of the service, from its methods' paths (`/leasehold.queue.v1.QueueService/GetJob`).
 * @throws Error for a definition without methods.
 */
export function serviceName(definition: Definition): string {
  const name = Object.values(definition)[0]?.path.split('/')[1];
  if (name === undefined || name === '') throw new Error('a service definition without methods');
  return name;
}
