/** A promise that a test resolves from elsewhere. (Node 20 has no Promise.withResolvers.) */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => { resolve = given; });
  return { promise, resolve };
}
