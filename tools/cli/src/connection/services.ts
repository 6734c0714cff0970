import { FileServiceService, ImportServiceService } from '@leasehold/ingest-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { RolloutServiceService } from '@leasehold/rollout-v1';
import { createClient, Fault, status, type ClientOf, type ClientTls } from '@leasehold/rpc';
import { Certificates, type TlsFiles } from '@leasehold/service';
import { Refusal, Unreachable, Usage } from '../terminal.js';
import type { Settings } from './settings.js';

/** The edges of a coordinator. */
export interface Coordinator {
  readonly queue: ClientOf<typeof QueueServiceService>;
  readonly rollout: ClientOf<typeof RolloutServiceService>;
}

/** The edges of ingest. */
export interface Ingest {
  readonly files: ClientOf<typeof FileServiceService>;
  readonly imports: ClientOf<typeof ImportServiceService>;
}

const defaultTimeoutMs = 5_000;

/** Whoever a command talks to: connected when it is first asked, and left when the command ends. */
export class Services {
  readonly #settings: () => Settings;
  readonly #open: { close(): void }[] = [];
  #known: { readonly settings: Settings; readonly certificates: Certificates | undefined } | undefined;
  #coordinator: Coordinator | undefined;
  #ingest: Ingest | undefined;

  constructor(settings: () => Settings) {
    this.#settings = settings;
  }

  /**
   * Asks a coordinator.
   * @throws Unreachable when none answers; whatever `ask` throws besides
   */
  async coordinator<T>(ask: (coordinator: Coordinator) => Promise<T>): Promise<T> {
    const { coordinators } = this.#start().settings;
    return answered('coordinator', coordinators, ask(this.#coordinator ??= this.#connectCoordinator()));
  }

  /** As `coordinator`, of ingest. */
  async ingest<T>(ask: (ingest: Ingest) => Promise<T>): Promise<T> {
    const { ingest } = this.#start().settings;
    return answered('ingest', ingest, ask(this.#ingest ??= this.#connectIngest()));
  }

  close(): void {
    for (const client of this.#open) client.close();
  }

  #connectCoordinator(): Coordinator {
    const { settings: { coordinators }, certificates } = this.#start();
    const tls = tlsTo('coordinator', certificates);
    return connecting(() => {
      const queue = createClient(QueueServiceService, coordinators, { defaultTimeoutMs, tls, idempotent: ['getJob', 'listJobs', 'cancelJob'] });
      const rollout = createClient(RolloutServiceService, coordinators, { defaultTimeoutMs, tls, idempotent: ['listContracts', 'getContract', 'checkGate', 'listWorkers', 'explainJob', 'listAuditEvents'] });
      this.#open.push(queue, rollout);
      return { queue, rollout };
    });
  }

  #connectIngest(): Ingest {
    const { settings: { ingest }, certificates } = this.#start();
    const tls = tlsTo('ingest', certificates);
    return connecting(() => {
      const files = createClient(FileServiceService, ingest, { defaultTimeoutMs, tls, idempotent: ['getFile'] });
      const imports = createClient(ImportServiceService, ingest, { defaultTimeoutMs, tls, idempotent: ['getImport'] });
      this.#open.push(files, imports);
      return { files, imports };
    });
  }

  #start(): { readonly settings: Settings; readonly certificates: Certificates | undefined } {
    if (this.#known !== undefined) return this.#known;
    const settings = this.#settings();
    const certificates = settings.tls && openCertificates(settings.tls);
    if (certificates !== undefined) this.#open.push({ close: () => void certificates.stop() });
    return this.#known = { settings, certificates };
  }
}

const tlsTo = (server: ClientTls['server'], certificates: Certificates | undefined): ClientTls | undefined => certificates && { certificates, server };

function openCertificates(files: TlsFiles): Certificates {
  try {
    return Certificates.open(files);
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : 'the certificates cannot be read', { cause: error });
  }
}

// Plaintext beyond this machine, addresses of two families, and the like.
function connecting<T>(connect: () => T): T {
  try {
    return connect();
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : 'the addresses cannot be used', { cause: error });
  }
}

async function answered<T>(service: 'coordinator' | 'ingest', addresses: readonly string[], answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Fault && (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED)) throw new Unreachable(service, addresses, error);
    throw error;
  }
}
