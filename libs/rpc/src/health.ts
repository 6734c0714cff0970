import { ServerInterceptingCall, status, type Server, type ServerInterceptor } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { untouched } from './untouched.js';

export const HEALTH_SERVICE = 'grpc.health.v1.Health';

/** grpc.health.v1 over all services together ('') and each by its name. */
export class Health {
  readonly #implementation: HealthImplementation;
  readonly #names: readonly string[];
  readonly #endings = new Set<() => void>();
  #serving = false;

  constructor(services: readonly string[]) {
    this.#names = ['', HEALTH_SERVICE, ...services];
    this.#implementation = new HealthImplementation(Object.fromEntries(this.#names.map((name) => [name, 'NOT_SERVING'])));
  }

  addTo(server: Server): void {
    this.#implementation.addToServer(server);
  }

  /** Says nothing where nothing changes: the package tells watchers again, and a watch that is ended while such a message waits for the one before it never ends. */
  set(serving: boolean): void {
    if (serving === this.#serving) return;
    this.#serving = serving;
    for (const name of this.#names) this.#implementation.setStatus(name, serving ? 'SERVING' : 'NOT_SERVING');
  }

  /** Ends the watches after what they were sent: the package never does, and they would hold a drain up to its deadline. */
  endWatches(): void {
    for (const end of this.#endings) end();
    this.#endings.clear();
  }

  readonly interceptor: ServerInterceptor = (method, call) => {
    if (method.path !== `/${HEALTH_SERVICE}/Watch`) return untouched(call);
    const end = (): void => call.sendStatus({ code: status.OK, details: 'the server is stopping' });
    this.#endings.add(end);
    return new ServerInterceptingCall(call, { start: (next) => next({ onCancel: () => this.#endings.delete(end) }) });
  };
}
