import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { Fault } from './fault.js';
import { local, parseIdentity, type Identity } from './identity.js';

/** What is read of a certificate, as Node describes it. */
export type NamedCertificate = Partial<Pick<PeerCertificate, 'subjectaltname' | 'valid_to'>>;

/**
 * The identity in a certificate that was verified already. Connections outlive handshakes, so that the end of the certificate is judged again.
 * @throws Fault UNAUTHENTICATED / IDENTITY_MISSING for one without exactly one URI name of Leasehold's, / CERTIFICATE_EXPIRED for one that has ended.
 */
export function identityIn(certificate: NamedCertificate | undefined, o: { domain: string; nowMs: number }): Identity {
  const refuse = (reason: string, message: string): Fault => new Fault({ code: status.UNAUTHENTICATED, reason, message, domain: o.domain });
  const identity = certificate && parseIdentity(uriName(certificate.subjectaltname) ?? '');
  if (identity === undefined) throw refuse('IDENTITY_MISSING', 'the certificate of the caller carries no name of the form spiffe://leasehold/<role>/<name>');
  if (!(Date.parse(certificate?.valid_to ?? '') >= o.nowMs)) throw refuse('CERTIFICATE_EXPIRED', 'the certificate of the caller has ended: connect with a newer one');
  return identity;
}

/**
 * Who is at the other end of an HTTP connection.
 * @throws Fault as identityIn, also over TLS for a caller without a certificate or with one of another authority.
 */
export function identityOfSocket(socket: Socket, o: { domain: string; nowMs: number }): Identity {
  if (!(socket instanceof TLSSocket)) return local;
  return identityIn(socket.authorized ? socket.getPeerCertificate() : undefined, o);
}

/**
 * The one URI name in Node's text of the alternative names; undefined when there are several, as SPIFFE demands. Names with special
 * characters are quoted there; no certificate of Leasehold's needs that, and splitting such a text could make a name out of a part of another.
 */
export function uriName(subjectAltName: string | undefined): string | undefined {
  if (subjectAltName === undefined || subjectAltName.includes('"')) return undefined;
  const uris = subjectAltName.split(', ').filter((name) => name.startsWith('URI:'));
  return uris.length === 1 ? uris[0]?.slice('URI:'.length) : undefined;
}
