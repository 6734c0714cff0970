import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, writeCertificateFolder, type CertificateFolder } from '@leasehold/development-ca';
import { LeaseServiceService } from '@leasehold/lease-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { RolloutServiceService } from '@leasehold/rollout-v1';
import { createClient, type ClientOf } from '@leasehold/rpc';
import { Certificates } from '@leasehold/service';

/** One caller of a coordinator that asks for certificates. */
export interface SecureCaller {
  readonly uri: string;
  readonly queue: ClientOf<typeof QueueServiceService>;
  readonly leases: ClientOf<typeof LeaseServiceService>;
  readonly rollout: ClientOf<typeof RolloutServiceService>;
}

/** An authority, the certificates that it gives out, and those who call with them. */
export class SecureCallers {
  readonly #authority: Authority;
  readonly #folder: string;
  readonly #ends: (() => unknown)[] = [];
  #issued = 0;

  private constructor(authority: Authority, folder: string) {
    this.#authority = authority;
    this.#folder = folder;
  }

  static async make(): Promise<SecureCallers> {
    return new SecureCallers(await Authority.create(), await mkdtemp(join(tmpdir(), 'leasehold-callers-')));
  }

  /** The variables of a coordinator with a certificate of its own. */
  async coordinatorEnv(): Promise<NodeJS.ProcessEnv> {
    const { ca, certificate, key } = await this.#issue('spiffe://leasehold/coordinator/tested');
    return { LEASEHOLD_TLS_CA: ca, LEASEHOLD_TLS_CERT: certificate, LEASEHOLD_TLS_KEY: key };
  }

  async caller(address: string, uri: string): Promise<SecureCaller> {
    const certificates = Certificates.open(await this.#issue(uri));
    const tls = { certificates, server: 'coordinator' } as const;
    const [queue, leases, rollout] = [createClient(QueueServiceService, address, { tls }), createClient(LeaseServiceService, address, { tls }), createClient(RolloutServiceService, address, { tls })];
    this.#ends.push(() => queue.close(), () => leases.close(), () => rollout.close(), () => certificates.stop());
    return { uri, queue, leases, rollout };
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    await rm(this.#folder, { recursive: true });
  }

  async #issue(uri: string): Promise<CertificateFolder> {
    this.#issued += 1;
    return writeCertificateFolder(join(this.#folder, String(this.#issued)), await this.#authority.issue({ uris: [uri] }), this.#authority);
  }
}
