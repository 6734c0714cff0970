/**
 * Who calls, as its certificate says by one URI name (SPIFFE's form) in the trust domain `leasehold`:
 *
 *   spiffe://leasehold/ingest/<name>                    hands jobs over and takes their outcomes
 *   spiffe://leasehold/coordinator/<name>               decides on leases
 *   spiffe://leasehold/worker/<kind>/<name>             works on the jobs of one kind
 *   spiffe://leasehold/client/<namespace>[/<namespace>...]   a service team: the owner of these namespaces
 *   spiffe://leasehold/operator/<name>                  looks at jobs and cancels them
 *
 * `local`: a caller on this machine, over plaintext, which is served on loopback only. It may do everything.
 */
export type Identity = { readonly id: string } & (
  | { readonly role: 'local' }
  | { readonly role: 'ingest' | 'coordinator' | 'operator'; readonly name: string }
  | { readonly role: 'worker'; readonly kind: string; readonly name: string }
  | { readonly role: 'client'; readonly namespaces: readonly string[] }
);

export type Role = Identity['role'];

/** Whoever calls over plaintext. */
export const local: Identity = Object.freeze({ role: 'local', id: 'local' });

const prefix = 'spiffe://leasehold/';
const longest = 2_048;
const segmentForm = /^[a-z0-9][a-z0-9._-]{0,62}$/;
// As in job and file names.
const namespaceForm = /^[a-z][a-z0-9-]{0,62}$/;

/** Undefined for what is no name of this list. */
export function parseIdentity(uri: string): Identity | undefined {
  if (!uri.startsWith(prefix) || uri.length > longest) return undefined;
  const [role, ...rest] = uri.slice(prefix.length).split('/');
  if (rest.length === 0 || !rest.every((segment) => segmentForm.test(segment))) return undefined;
  const [first = '', second] = rest;
  switch (role) {
    case 'ingest':
    case 'coordinator':
    case 'operator':
      return second === undefined ? { role, name: first, id: uri } : undefined;
    case 'worker':
      return second !== undefined && rest.length === 2 && namespaceForm.test(first) ? { role, kind: first, name: second, id: uri } : undefined;
    case 'client':
      return rest.every((segment) => namespaceForm.test(segment)) ? { role, namespaces: rest, id: uri } : undefined;
    default:
      return undefined;
  }
}
