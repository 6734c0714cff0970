import type { CallContext } from './call-context.js';
import type { Definition, RequestOf } from './definition.js';

/**
 * Whether whoever calls may send this request. Called before the handler, and for a client stream with its first request.
 * @throws Fault (`denied`) that refuses the call
 */
export type AccessRule<Q> = (request: Q, call: CallContext) => void | Promise<void>;

/** Who may call what on an edge: a rule for every method; a missing one does not compile. `local` is not asked. */
export type AccessOf<D extends Definition> = { readonly [K in keyof D]: AccessRule<RequestOf<D[K]>> };

/** A rule with its message erased; written as a method for the reason that MethodDefinition gives. */
export type ErasedRule = { admit(request: unknown, call: CallContext): void | Promise<void> }['admit'];
