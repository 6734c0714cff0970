import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, writeCertificateFolder, type CertificateFolder } from '@leasehold/development-ca';

/** An authority and the certificates that it gave to the processes and callers of a test. */
export class Papers {
  readonly #authority: Authority;
  readonly #folder: string;
  readonly #issued: CertificateFolder[] = [];

  private constructor(authority: Authority, folder: string) {
    this.#authority = authority;
    this.#folder = folder;
  }

  static async make(): Promise<Papers> {
    return new Papers(await Authority.create(), await mkdtemp(join(tmpdir(), 'leasehold-papers-')));
  }

  get authority(): string {
    return this.#authority.certificate;
  }

  /** @param name such as `worker/image/one` */
  async issue(name: string): Promise<CertificateFolder> {
    const issued = await this.#authority.issue({ uris: [`spiffe://leasehold/${name}`], hosts: ['127.0.0.1'] });
    const files = await writeCertificateFolder(join(this.#folder, `${this.#issued.length}`), issued, this.#authority);
    this.#issued.push(files);
    return files;
  }

  /** As the variables of a process. */
  async env(name: string): Promise<Record<string, string>> {
    const { ca, certificate, key } = await this.issue(name);
    return { LEASEHOLD_TLS_CA: ca, LEASEHOLD_TLS_CERT: certificate, LEASEHOLD_TLS_KEY: key };
  }

  /** A line out of the middle of every private key. */
  async keyLines(): Promise<string[]> {
    const keys = await Promise.all(this.#issued.map(({ key }) => readFile(key, 'utf8')));
    return keys.map((key) => key.split('\n')[1] ?? '');
  }

  async end(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
