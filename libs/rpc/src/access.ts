import type { Definition, RequestOf } from './definition.js';
import type { Identity } from './identity.js';

/** Whoever sends a request, as far as rules look at it. */
export interface Caller {
  readonly identity: Identity;
}

/**
 * Whether whoever calls may send this request. Called before the handler, and for a client stream with its first request.
 * @throws Fault (`denied`) that refuses the call
 */
export type AccessRule<Q> = (request: Q, caller: Caller) => void | Promise<void>;

/** Who may call what on an edge: a rule for every method; a missing one does not compile. `local` is not asked. */
export type AccessOf<D extends Definition> = { readonly [K in keyof D]: AccessRule<RequestOf<D[K]>> };

/** A rule with its message erased; written as a method for the reason that MethodDefinition gives. */
export type ErasedRule = { admit(request: unknown, caller: Caller): void | Promise<void> }['admit'];

/** Asks a rule: for requests that come in by another way than gRPC. @throws what the rule throws */
export async function admit<Q>(rule: AccessRule<Q>, request: Q, caller: Caller): Promise<void> {
  if (caller.identity.role !== 'local') await rule(request, caller);
}
