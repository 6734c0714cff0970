import type {
  AcquireLeasesRequest, AcquireLeasesResponse, DeregisterWorkerRequest, ExtendLeasesRequest, ExtendLeasesResponse, RegisterWorkerRequest, SettleLeasesRequest, SettleLeasesResponse,
} from '@leasehold/lease-v1';
import type { Clock } from '@leasehold/service';
import type { LeaseCallOptions, LeaseConnection } from '../wire/lease-connection.js';
import type { CoordinatorModel } from './coordinator-model.fixture.js';

/** Told of everything that the worker sends and hears, at that moment. */
export interface Witness {
  sends(call: Sent): void;
  hears(call: Heard): void;
}
export type Sent =
  | { method: 'acquire'; request: AcquireLeasesRequest }
  | { method: 'extend'; request: ExtendLeasesRequest }
  | { method: 'settle'; request: SettleLeasesRequest }
  | { method: 'register'; request: RegisterWorkerRequest }
  | { method: 'deregister'; request: DeregisterWorkerRequest };
export type Heard =
  | { method: 'acquire'; request: AcquireLeasesRequest; response: AcquireLeasesResponse; sentAtMs: number }
  | { method: 'extend'; request: ExtendLeasesRequest; response: ExtendLeasesResponse; sentAtMs: number }
  | { method: 'settle'; request: SettleLeasesRequest; response: SettleLeasesResponse; sentAtMs: number };

/** A call that is on its way. The script decides when, and whether, it arrives and is answered. */
export interface Parked {
  readonly method: Sent['method'];
  /** The worker has stopped waiting; the call may still arrive. */
  abandoned: boolean;
  /** It reaches the coordinator, once. */
  arrive(): void;
  /** The answer reaches the worker; arrives first if it has not. */
  answer(): void;
  /** The worker hears that the connection broke. */
  fail(): void;
}

/** A connection in a script's hands, to a CoordinatorModel. */
export class ScriptedLink implements LeaseConnection {
  readonly parked: Parked[] = [];
  readonly #model: CoordinatorModel;
  readonly #clock: Clock;
  readonly #witness: Witness;

  constructor(model: CoordinatorModel, clock: Clock, witness: Witness) {
    this.#model = model;
    this.#clock = clock;
    this.#witness = witness;
  }

  readonly registerWorker: LeaseConnection['registerWorker'] = (request, o) => this.#park({ method: 'register', request }, o, () => this.#model.register(request), () => undefined);
  readonly deregisterWorker: LeaseConnection['deregisterWorker'] = (request, o) => this.#park({ method: 'deregister', request }, o, () => this.#model.deregister(request), () => undefined);
  readonly acquireLeases: LeaseConnection['acquireLeases'] = (request, o) =>
    this.#park({ method: 'acquire', request }, o, () => this.#model.acquire(request), (response, sentAtMs) => this.#witness.hears({ method: 'acquire', request, response, sentAtMs }));
  readonly extendLeases: LeaseConnection['extendLeases'] = (request, o) =>
    this.#park({ method: 'extend', request }, o, () => this.#model.extend(request), (response, sentAtMs) => this.#witness.hears({ method: 'extend', request, response, sentAtMs }));
  readonly settleLeases: LeaseConnection['settleLeases'] = (request, o) =>
    this.#park({ method: 'settle', request }, o, () => this.#model.settle(request), (response, sentAtMs) => this.#witness.hears({ method: 'settle', request, response, sentAtMs }));

  #park<R>(sent: Sent, o: LeaseCallOptions, serve: () => R, heard: (response: R, sentAtMs: number) => void): Promise<R> {
    this.#witness.sends(sent);
    const sentAtMs = this.#clock.now();
    return new Promise<R>((resolve, reject) => {
      let answer: { response: R } | undefined;
      const remove = (): void => {
        const at = this.parked.indexOf(call);
        if (at >= 0) this.parked.splice(at, 1);
      };
      const call: Parked = {
        method: sent.method,
        abandoned: false,
        arrive: () => {
          answer ??= { response: serve() };
          if (call.abandoned) remove();
        },
        answer: () => {
          const { response } = (answer ??= { response: serve() });
          remove();
          heard(response, sentAtMs);
          resolve(response);
        },
        fail: () => {
          remove();
          reject(new Error('the connection broke'));
        },
      };
      o.signal.addEventListener('abort', () => {
        call.abandoned = true;
        if (answer !== undefined) remove();
        reject(new Error('cancelled'));
      }, { once: true });
      this.parked.push(call);
    });
  }
}
