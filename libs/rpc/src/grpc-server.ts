import { setMaxListeners } from 'node:events';
import { Server, type ServerInterceptor } from '@grpc/grpc-js';
import { isLoopback, type Certificates, type Component, type Logger } from '@leasehold/service';
import { Counter, type Registry } from 'prom-client';
import { callObserver } from './call-observer.js';
import { CallRunner } from './call-runner.js';
import { CallerLimiter, type CallerLimit } from './caller-limiter.js';
import { defaultCallerLimits, type CallerLimits } from './caller-limits.js';
import { CallsUnderWay } from './calls-under-way.js';
import { DEFAULT_MAX_RECEIVE_BYTES, keepaliveOptions, type Keepalive } from './channel.js';
import { completeStreams } from './complete-streams.js';
import { Descriptors } from './descriptors.js';
import { Health, HEALTH_SERVICE } from './health.js';
import { local, type Identity } from './identity.js';
import { identityIn } from './peer-certificate.js';
import { addReflection, REFLECTION_SERVICES } from './reflection.js';
import type { SurfaceCall } from './served-call.js';
import type { ServiceBinding } from './service.js';
import { serverCredentials } from './tls-credentials.js';

/** Callers that were admitted by an authority that is not trusted any more: their calls under way are broken off after so long. */
const REAUTHENTICATE_MS = 35_000;

export interface GrpcServerOptions {
  /** A loopback host, unless there are certificates. */
  host: string;
  /** 0: any free port. */
  port: number;
  services: readonly ServiceBinding[];
  /** Descriptor images that describe every service; see readImage. */
  images: readonly Uint8Array[];
  logger: Logger;
  registry: Registry;
  /** mTLS: callers are who their certificates say. Without it the server speaks plaintext, and callers are `local`. */
  certificates?: Certificates | undefined;
  /** Larger requests are refused as RESOURCE_EXHAUSTED / MESSAGE_TOO_LARGE. Default 4 MiB. */
  maxReceiveBytes?: number;
  /** Calls under way at once over all connections, long polls included; more are refused as RESOURCE_EXHAUSTED / TOO_MANY_CALLS. Default 10,000. */
  maxConcurrentCalls?: number;
  /** Of each caller: its identity, or its address over plaintext. More is refused as RESOURCE_EXHAUSTED / CALLER_CALLS, CALLER_STREAMS or CALLER_RATE. */
  callerLimits?: CallerLimits;
  /** Default: callers are asked every 20 s, given up after 5 s. */
  keepalive?: Keepalive;
}

/**
 * Serves an edge over gRPC, with grpc.health.v1 and reflection. SERVING from start() until stop() or setServing(false).
 * stop() says NOT_SERVING, takes nothing new, waits for the calls under way, and breaks off what is left at the deadline.
 */
export class GrpcServer implements Component {
  readonly name = 'grpc-server';
  readonly #o: GrpcServerOptions;
  readonly #descriptors: Descriptors;
  readonly #health: Health;
  readonly #underWay: CallsUnderWay;
  readonly #observer: ServerInterceptor;
  readonly #limits: CallerLimits;
  readonly #limited: Counter<'limit'>;
  readonly #draining = new AbortController();
  #server: Server | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #port: number | undefined;
  #wanted = true;
  #forget: (() => void) | undefined;

  /**
   * @throws Error without certificates for a host beyond this machine, with them for a service without an access table, and for a service
   * that no image describes.
   */
  constructor(o: GrpcServerOptions) {
    if (o.certificates === undefined && !isLoopback(o.host)) {
      throw new Error(`${o.host}: gRPC is served in plaintext and only on this machine (127.0.0.0/8, ::1, localhost) while there are no certificates`);
    }
    const unguarded = o.services.find(({ guarded }) => !guarded);
    if (o.certificates !== undefined && unguarded !== undefined) throw new Error(`${unguarded.name}: without an access table it must not be served to others`);
    this.#o = o;
    this.#descriptors = new Descriptors(o.images);
    for (const { name } of o.services) if (!this.#descriptors.hasService(name)) throw new Error(`no image describes ${name}`);
    this.#health = new Health(o.services.map(({ name }) => name));
    this.#underWay = new CallsUnderWay(o.maxConcurrentCalls ?? 10_000);
    this.#limits = o.callerLimits ?? defaultCallerLimits;
    this.#limited = new Counter({ name: 'leasehold_rpc_server_limited_total', help: 'Calls refused because their caller took too much, by limit (calls, streams, rate)', labelNames: ['limit'], registers: [o.registry] });
    // Every long poll and watch listens.
    setMaxListeners(0, this.#draining.signal);
    const domains = new Map(o.services.map(({ name, domain }) => [name, domain]));
    this.#observer = callObserver(o.registry, (service) => domains.get(service) ?? service);
  }

  /** `host:port` as bound. Throws before start(). */
  get address(): string {
    if (this.#port === undefined) throw new Error('the gRPC server has not started');
    return `${this.#hostInUrl()}:${this.#port}`;
  }

  /** False: health answers NOT_SERVING while calls are still served, so that balancers go elsewhere. */
  setServing(ok: boolean): void {
    this.#wanted = ok;
    this.#health.set(ok && this.#port !== undefined && this.#stopping === undefined);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  stop(deadline: AbortSignal): Promise<void> {
    this.#stopping ??= this.#stop(deadline);
    return this.#stopping;
  }

  readonly #identify = (call: SurfaceCall, domain: string): Identity =>
    this.#o.certificates === undefined ? local : identityIn(call.getAuthContext().sslPeerCertificate, { domain, nowMs: Date.now() });

  async #start(): Promise<void> {
    if (this.#stopping !== undefined) throw new Error('a stopped gRPC server does not start again');
    const server = this.#build();
    this.#port = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, port: number): void => (error === null ? resolve(port) : reject(error));
      server.bindAsync(`${this.#hostInUrl()}:${this.#o.port}`, serverCredentials(this.#o.certificates), bound);
    });
    this.#server = server;
    this.#forget = this.#o.certificates?.onChange(({ trust }) => (trust ? server.drain(this.address, REAUTHENTICATE_MS) : undefined));
    this.setServing(this.#wanted);
  }

  #build(): Server {
    const { services, logger } = this.#o;
    const server = new Server({
      ...keepaliveOptions(this.#o.keepalive),
      'grpc.max_receive_message_length': this.#o.maxReceiveBytes ?? DEFAULT_MAX_RECEIVE_BYTES,
      // Of one connection; what comes above it waits at the caller. Above the caller's limit, so that it hears of that instead of waiting.
      'grpc.max_concurrent_streams': 2 * this.#limits.maxCalls,
      // Without channelz grpc-js forgets its sessions, and forceShutdown() then closes none.
      'grpc.enable_channelz': 1,
      interceptors: [this.#observer, completeStreams, this.#health.interceptor],
    });
    // One for all services: a caller is one, whatever it calls.
    const shared = {
      draining: this.#draining.signal, logger, underWay: this.#underWay, identify: this.#identify,
      callers: new CallerLimiter(this.#limits), onLimited: (limit: CallerLimit) => this.#limited.inc({ limit }),
    };
    for (const binding of services) {
      binding.register(server, new CallRunner({ ...shared, domain: binding.domain }));
    }
    this.#health.addTo(server);
    addReflection(server, this.#descriptors, [...services.map(({ name }) => name), HEALTH_SERVICE, ...REFLECTION_SERVICES]);
    return server;
  }

  async #stop(deadline: AbortSignal): Promise<void> {
    await this.#starting?.catch(() => undefined);
    const server = this.#server;
    if (server === undefined) return;
    this.#forget?.();
    this.#health.set(false);
    this.#draining.abort();
    this.#health.endWatches();
    const drained = new Promise<void>((resolve) => server.tryShutdown(() => resolve())).then(() => this.#underWay.idle());
    await Promise.race([drained, aborted(deadline)]);
    server.forceShutdown();
  }

  #hostInUrl(): string {
    return this.#o.host.includes(':') && !this.#o.host.startsWith('[') ? `[${this.#o.host}]` : this.#o.host;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
