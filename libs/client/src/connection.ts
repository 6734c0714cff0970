import { createClient, type ClientOf, type Definition } from '@leasehold/rpc';
import { Certificates, type TlsFiles } from '@leasehold/service';

export interface IngestClientOptions {
  /** `host:port` of an ingest, or of several, over which calls go round robin. */
  readonly address: string | readonly string[];
  /** Default `default`. */
  readonly namespace?: string;
  /** Deadline of each unary call in ms; default 10 000. */
  readonly timeoutMs?: number;
  /** PEM files for mTLS; the certificate names `spiffe://leasehold/client/<namespace>`. Without them ingest must be on this machine. */
  readonly tls?: TlsFiles;
}

/** How an ingest is reached: its services share address, deadline and certificates. */
export class Connection {
  readonly namespace: string;
  readonly #options: IngestClientOptions;
  readonly #certificates: Certificates | undefined;
  readonly #closes: (() => void)[] = [];

  /** @throws Error for PEM files that are of no use, naming the file. */
  constructor(options: IngestClientOptions) {
    this.#options = options;
    this.#certificates = options.tls && Certificates.open(options.tls);
    this.namespace = options.namespace ?? 'default';
  }

  /** @param idempotent the methods that may be sent twice without doing anything twice. */
  client<D extends Definition>(service: D, idempotent: readonly (keyof D & string)[]): ClientOf<D> {
    const certificates = this.#certificates;
    const client = createClient(service, this.#options.address, { defaultTimeoutMs: this.#options.timeoutMs ?? 10_000, idempotent, tls: certificates && { certificates, server: 'ingest' } });
    this.#closes.push(() => client.close());
    return client;
  }

  /** Ends the connections; calls under way fail. */
  close(): void {
    for (const close of this.#closes.splice(0)) close();
    void this.#certificates?.stop();
  }
}
