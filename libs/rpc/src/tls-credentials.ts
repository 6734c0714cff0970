import { credentials, experimental, ServerCredentials, type ChannelCredentials } from '@grpc/grpc-js';
import type { Certificates } from '@leasehold/service';
import { parseIdentity, type Role } from './identity.js';
import { uriName } from './peer-certificate.js';

type Provider = experimental.CertificateProvider;

/** Certificates as grpc-js takes them. Its own file watcher would take up a certificate whose key is not there yet. */
class GrpcCertificates implements Provider {
  readonly #certificates: Certificates;
  readonly #forgetting = new Map<object, () => void>();

  constructor(certificates: Certificates) {
    this.#certificates = certificates;
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#tell(listener, () => listener({ caCertificate: this.#certificates.material.ca }));
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#tell(listener, () => listener({ certificate: this.#certificates.material.certificate, privateKey: this.#certificates.material.key }));
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#forget(listener);
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#forget(listener);
  }

  /** Not before the caller has finished: grpc-js puts a server on its list of those that hear of updates after it has asked for them. */
  #tell(listener: object, tell: () => void): void {
    this.#forgetting.set(listener, this.#certificates.onChange(tell));
    process.nextTick(tell);
  }

  #forget(listener: object): void {
    this.#forgetting.get(listener)?.();
    this.#forgetting.delete(listener);
  }
}

/** Plaintext without certificates; with them, every caller must show one of a trusted authority. */
export function serverCredentials(certificates: Certificates | undefined): ServerCredentials {
  if (certificates === undefined) return ServerCredentials.createInsecure();
  const provider = new GrpcCertificates(certificates);
  return experimental.createCertificateProviderServerCredentials(provider, provider, true);
}

/** Whom a client talks to, and by what it is known. */
export interface ClientTls {
  readonly certificates: Certificates;
  /** The role that the server's certificate must name: a worker's certificate must not do for a coordinator. Host names are not looked at. */
  readonly server: Extract<Role, 'coordinator' | 'ingest'>;
}

export function channelCredentials(tls: ClientTls | undefined): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure();
  const provider = new GrpcCertificates(tls.certificates);
  return experimental.createCertificateProviderChannelCredentials(provider, provider, {
    checkServerIdentity: (_host, { subjectaltname }) => {
      const role = parseIdentity(uriName(subjectaltname) ?? '')?.role;
      return role === tls.server ? undefined : new Error(`the server's certificate does not name a ${tls.server}`);
    },
  });
}
