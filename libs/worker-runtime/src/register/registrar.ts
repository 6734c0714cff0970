import { DeregisterWorkerRequest, RegisterWorkerRequest, type RegisterWorkerResponse } from '@leasehold/lease-v1';
import type { Logger } from '@leasehold/service';
import type { Connections } from '../wire/connections.js';
import { newIdentity, type Identity } from './identity.js';
import { policyOf, type WorkerPolicy } from './policy.js';

const DEADLINE_MS = 5000;

export interface RegistrarOptions {
  readonly kind: string;
  readonly versions: readonly number[];
  readonly build: string;
  readonly concurrency: number;
  readonly marginMs: number;
  readonly minRunMs: number | undefined;
  readonly connections: Connections;
  readonly logger: Logger;
}

/** Keeps the worker known to the coordinator: who it is, and what the kind's policy asks of it. */
export class Registrar {
  readonly #o: RegistrarOptions;
  #identity = newIdentity();
  /** The identity that is being announced; the same at each repeat. */
  #next: Identity | undefined = this.#identity;
  #policy: WorkerPolicy | undefined;

  constructor(o: RegistrarOptions) {
    this.#o = o;
  }

  /** In use since its registration was answered. Before that it is not known to any coordinator. */
  get identity(): Identity {
    return this.#identity;
  }

  /** undefined until the first registration was answered. */
  get policy(): WorkerPolicy | undefined {
    return this.#policy;
  }

  /** Whether `register` must be called before the next acquire. */
  get isDue(): boolean {
    return this.#next !== undefined;
  }

  /** Whether the next registration is under another id than the one in use. */
  get changesIdentity(): boolean {
    return this.#next !== undefined && this.#next !== this.#identity;
  }

  /**
   * The coordinator does not know this worker any more: the next registration is under a new id. Leases held stay valid under it.
   * @param workerId of the call that was answered so; ignored when the worker has another id by now
   */
  forgotten(workerId: string): void {
    if (workerId !== this.#identity.workerId || this.#next !== undefined) return;
    this.#o.logger.warn({ event: 'worker_forgotten', worker_id: workerId }, 'the coordinator does not know this worker any more: it registers anew');
    this.#next = newIdentity();
  }

  /** The coordinator has another list of what this worker reads: the next registration repeats it under the same id. */
  refresh(): void {
    this.#next ??= this.#identity;
  }

  /**
   * One try.
   * @throws KindUnknown, LeaseTooShort (a configuration that cannot work), or whatever kept the answer away
   */
  async register(signal: AbortSignal): Promise<void> {
    const identity = this.#next ?? this.#identity;
    const { kind, versions, build, concurrency, marginMs, minRunMs } = this.#o;
    const contracts = versions.map((version) => ({ kind, version }));
    const request = RegisterWorkerRequest.create({ workerId: identity.workerId, build, concurrency, contracts });
    const { response } = await this.#o.connections.call({ deadlineMs: DEADLINE_MS, signal, send: (c, o) => c.registerWorker(request, o) });
    // Before the policy is looked at: the coordinator knows this id now, so it is the one to take leave of.
    this.#identity = identity;
    this.#next = undefined;
    this.#log(identity.workerId, response);
    this.#policy = policyOf(response, { kind, marginMs, minRunMs });
  }

  /** One try. Leases that are still held are handed back by the coordinator. */
  async deregister(signal: AbortSignal): Promise<void> {
    const request = DeregisterWorkerRequest.create({ workerId: this.#identity.workerId });
    const { response } = await this.#o.connections.call({ deadlineMs: DEADLINE_MS, signal, send: (c, o) => c.deregisterWorker(request, o) });
    this.#o.logger.info({ event: 'worker_deregistered', worker_id: this.#identity.workerId, released_leases: response.releasedLeases });
  }

  #log(workerId: string, { unreadContracts, suspendedContracts }: RegisterWorkerResponse): void {
    this.#o.logger.info({ event: 'worker_registered', worker_id: workerId, build: this.#o.build, versions: this.#o.versions });
    if (unreadContracts.length > 0) this.#o.logger.warn({ event: 'contracts_unread', contracts: unreadContracts }, 'there are jobs that this build does not read');
    if (suspendedContracts.length > 0) this.#o.logger.warn({ event: 'contracts_suspended', contracts: suspendedContracts }, 'this build handed too many jobs back unread');
  }
}
