import { once } from 'node:events';
import {
  LeaseServiceService, WorkerDirective, type AcquireLeasesRequest, type AcquireLeasesResponse, type DeregisterWorkerRequest, type ExtendLeasesRequest, type RegisterWorkerRequest,
  type SettleLeasesRequest,
} from '@leasehold/lease-v1';
import { createClient, Fault, faults, GrpcServer, msOfDuration, readImage, service, type CallContext } from '@leasehold/rpc';
import { createLogger, createRegistry, type Clock, type ManualClock } from '@leasehold/service';
import { onTestFinished, vi } from 'vitest';
import type { LeaseCallOptions, LeaseConnection } from '../wire/lease-connection.js';
import { CoordinatorModel } from './coordinator-model.fixture.js';

interface Seen {
  readonly registerWorker: RegisterWorkerRequest[];
  readonly acquireLeases: AcquireLeasesRequest[];
  readonly extendLeases: ExtendLeasesRequest[];
  readonly settleLeases: SettleLeasesRequest[];
  readonly deregisterWorker: DeregisterWorkerRequest[];
}
type Method = keyof Seen;

/**
 * What happens to one call instead of the usual: `lost request` never arrives, `lost reply` takes effect and fails, `hangs` never arrives
 * and is never answered, `hangs answered` takes effect and is never answered; a Fault refuses.
 */
export type Twist = 'lost request' | 'lost reply' | 'hangs' | 'hangs answered' | Fault;

const fault = faults('lease.leasehold');

// The worker's own deadlines run on the test's clock; gRPC's beside them would make a busy machine look like a lost call.
const unhurried = ({ signal }: LeaseCallOptions): { signal: AbortSignal; timeoutMs: number } => ({ signal, timeoutMs: 60_000 });

/** A CoordinatorModel behind real gRPC on a loopback port, with scripted mishaps. Stopped when the test ends. */
export class Coordinator {
  readonly model: CoordinatorModel;
  readonly seen: Seen = { registerWorker: [], acquireLeases: [], extendLeases: [], settleLeases: [], deregisterWorker: [] };
  /** False: acquire calls are answered at once, also with nothing. */
  patient = true;
  readonly #twists: Record<Method, Twist[]> = { registerWorker: [], acquireLeases: [], extendLeases: [], settleLeases: [], deregisterWorker: [] };
  readonly #clock: Clock;
  readonly #polls = new Set<AbortController>();
  readonly #server: GrpcServer;
  #underWay = 0;
  #hanging = 0;

  constructor(clock: Clock, model = new CoordinatorModel(clock)) {
    this.model = model;
    this.#clock = clock;
    this.model.onChange(() => this.wakePolls());
    const { model: m } = this;
    this.#server = new GrpcServer({
      host: '127.0.0.1',
      port: 0,
      services: [service(LeaseServiceService, {
        registerWorker: (request, call) => this.#serve('registerWorker', this.seen.registerWorker, request, call, () => m.register(request)),
        acquireLeases: (request, call) => this.#serve('acquireLeases', this.seen.acquireLeases, request, call, () => this.#longPoll(request, call)),
        extendLeases: (request, call) => this.#serve('extendLeases', this.seen.extendLeases, request, call, () => m.extend(request)),
        settleLeases: (request, call) => this.#serve('settleLeases', this.seen.settleLeases, request, call, () => m.settle(request)),
        deregisterWorker: (request, call) => this.#serve('deregisterWorker', this.seen.deregisterWorker, request, call, () => m.deregister(request)),
      }, { domain: 'lease.leasehold' })],
      images: [readImage(import.meta.resolve('@leasehold/lease-v1/image.binpb'))],
      logger: createLogger({ service: 'coordinator', level: 'silent' }),
      registry: createRegistry('coordinator'),
    });
  }

  get address(): string {
    return this.#server.address;
  }

  async start(): Promise<this> {
    await this.#server.start();
    onTestFinished(() => this.#server.stop(AbortSignal.abort()));
    return this;
  }

  client(o: { maxReceiveBytes?: number } = {}): LeaseConnection {
    const client = createClient(LeaseServiceService, this.address, o);
    onTestFinished(() => client.close());
    return {
      registerWorker: (request, call) => this.#counted(client.registerWorker(request, unhurried(call))),
      acquireLeases: (request, call) => this.#counted(client.acquireLeases(request, unhurried(call))),
      extendLeases: (request, call) => this.#counted(client.extendLeases(request, unhurried(call))),
      settleLeases: (request, call) => this.#counted(client.settleLeases(request, unhurried(call))),
      deregisterWorker: (request, call) => this.#counted(client.deregisterWorker(request, unhurried(call))),
    };
  }

  /** Calls under way, polls that wait and those that hang on purpose excepted: while there are any, time must stand still. */
  get busy(): number {
    return this.#underWay - this.#hanging;
  }

  async #counted<R>(call: Promise<R>): Promise<R> {
    this.#underWay += 1;
    try {
      return await call;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** The next calls of a method go these ways. */
  next(method: Method, ...twists: Twist[]): void {
    this.#twists[method].push(...twists);
  }

  /** The n-th request of a method, from 1, once it has arrived; twisted ones count. */
  async nth<M extends Method>(method: M, n: number): Promise<Seen[M][number]> {
    return vi.waitFor(() => {
      const request: Seen[M][number] | undefined = this.seen[method][n - 1];
      if (request === undefined) throw new Error(`${this.seen[method].length} of ${n} ${method} requests have arrived`);
      return request;
    }, { timeout: 5000, interval: 3 });
  }

  /** Long polls look at the queue again. */
  wakePolls(): void {
    for (const poll of this.#polls) poll.abort();
  }

  async #serve<Q, R>(method: Method, seen: Q[], request: Q, call: CallContext, usual: () => R | Promise<R>): Promise<R> {
    seen.push(request);
    const twist = this.#twists[method].shift();
    if (twist === undefined) return usual();
    if (twist instanceof Fault) throw twist;
    if (twist === 'lost reply' || twist === 'hangs answered') await usual();
    if (twist === 'lost request' || twist === 'lost reply') throw fault.unavailable('LOST', twist);
    this.#hanging += 1;
    if (!call.signal.aborted) await once(call.signal, 'abort');
    this.#hanging -= 1;
    throw fault.cancelled();
  }

  async #longPoll(request: AcquireLeasesRequest, call: CallContext): Promise<AcquireLeasesResponse> {
    const endMs = this.#clock.now() + msOfDuration(request.wait);
    for (;;) {
      const answer = this.model.acquire(request);
      if (answer.leases.length > 0 || answer.directive !== WorkerDirective.CONTINUE || !this.patient || this.#clock.now() >= endMs || call.signal.aborted) return answer;
      await this.#poll(endMs, call.signal);
    }
  }

  async #poll(endMs: number, gone: AbortSignal): Promise<void> {
    const poll = new AbortController();
    const stop = (): void => poll.abort();
    this.#polls.add(poll);
    gone.addEventListener('abort', stop, { once: true });
    this.#hanging += 1;
    await this.#clock.wait(endMs - this.#clock.now(), poll.signal).catch(() => undefined);
    this.#hanging -= 1;
    gone.removeEventListener('abort', stop);
    this.#polls.delete(poll);
  }
}

/**
 * Moves time in steps until something is so: what the worker repeats is paced by its clock, what it hears comes over a real wire, and
 * no time passes while it is on the wire.
 */
export async function passUntil(clock: ManualClock, coordinator: Coordinator, met: () => boolean, stepMs = 20): Promise<void> {
  await vi.waitFor(async () => {
    if (met()) return;
    if (coordinator.busy <= 0) await clock.advance(stepMs);
    throw new Error(`not yet at ${clock.now()} ms`);
  }, { timeout: 10_000, interval: 1 });
}
