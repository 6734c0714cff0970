import { faults, type Identity } from '@leasehold/rpc';
import { domain } from '../faults.js';

const fault = faults(domain);

/** An owner of the namespace, or an operator who looks. @throws PERMISSION_DENIED / ROLE_NOT_ALLOWED, NAMESPACE_NOT_OWN */
export function readerOf(identity: Identity, namespace: string | undefined): void {
  if (identity.role !== 'operator') ownerOf(identity, namespace);
}

/** What is no name is left to the method, which refuses it. @throws PERMISSION_DENIED / ROLE_NOT_ALLOWED, NAMESPACE_NOT_OWN */
export function ownerOf(identity: Identity, namespace: string | undefined): void {
  if (identity.role !== 'client') throw fault.denied('ROLE_NOT_ALLOWED', `this method is not for the role ${identity.role}`, { identity: identity.id });
  if (namespace === undefined || identity.namespaces.includes(namespace)) return;
  throw fault.denied('NAMESPACE_NOT_OWN', `namespace ${namespace} belongs to others`, { identity: identity.id });
}
