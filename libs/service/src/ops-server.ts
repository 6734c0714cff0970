import type { ServerOptions } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyServerFactory } from 'fastify';
import type { Logger } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import type { Certificates } from './certificates.js';
import type { Component } from './lifecycle.js';
import { isLoopback } from './loopback.js';
import { ReadinessCheck } from './readiness-check.js';
import type { Readiness } from './readiness.js';
import type { TlsMaterial } from './tls-material.js';

/** What a service's routes are registered with: its parameter is a fastify instance of their own. */
export type HttpRoutes = FastifyPluginAsync;

export interface OpsServerOptions {
  /** A loopback host, unless there are certificates. */
  host: string;
  /** 0 lets the system choose. */
  port: number;
  registry: Registry;
  /** Asked at every GET /readyz, one call at a time. */
  readiness: () => Promise<Readiness[]>;
  logger: Logger;
  /**
   * Makes it HTTPS. A caller may show a certificate of its own, but probes and signed requests have none: a route that needs to know who
   * calls must look at the socket itself.
   */
  certificates?: Certificates | undefined;
  /** A readiness check that takes longer counts as failed. Default 2 s. */
  readinessTimeoutMs?: number;
  /** Largest request body of a route that says nothing else. Default 64 KiB. */
  bodyLimitBytes?: number;
  /** Longest time for a request to arrive whole, body included. Default 30 s; a route that takes large uploads needs more. */
  requestTimeoutMs?: number;
  /** A connection on which nothing moves for so long is cut. Default 60 s. */
  idleTimeoutMs?: number;
}

/**
 * The HTTP server of a process: GET /livez (200 while the event loop turns), /readyz (200 or 503 with `{ready, checks}`), /metrics. A service
 * can mount routes of its own before the start. Requests are never logged and their URLs appear in no answer, log line or metric, as a URL may
 * be signed; metrics carry the route's pattern.
 */
export class OpsServer implements Component {
  readonly name = 'http';
  readonly #o: OpsServerOptions;
  readonly #server: FastifyInstance;
  #listening: Promise<unknown> | undefined;
  #address: string | undefined;
  #stopping = false;

  /** @throws Error for a host beyond this machine without certificates. */
  constructor(o: OpsServerOptions) {
    if (o.certificates === undefined && !isLoopback(o.host)) {
      throw new Error(`${o.host}: without certificates HTTP is served on this machine only (127.0.0.0/8, ::1, localhost)`);
    }
    this.#o = o;
    const requestTimeoutMs = o.requestTimeoutMs ?? 30_000;
    const idleTimeoutMs = o.idleTimeoutMs ?? 60_000;
    const http = {
      // At creation, so that Node takes its limit for headers from it: where that one is larger, Node exchanges the two.
      requestTimeout: requestTimeoutMs,
      // Node looks for late requests only so often, by default every 30 s.
      connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 5000),
    };
    this.#server = fastify({
      logger: false,
      bodyLimit: o.bodyLimitBytes ?? 64 * 1024,
      requestTimeout: requestTimeoutMs,
      ...(o.certificates === undefined ? { http } : { serverFactory: httpsFactory(o.certificates, http, idleTimeoutMs) }),
      connectionTimeout: idleTimeoutMs,
      // A resource's id has up to 100 characters, and a verb may follow it.
      routerOptions: { maxParamLength: 200 },
      forceCloseConnections: 'idle',
      // The default answer to a URL that cannot be decoded quotes it.
      frameworkErrors: (_err, _request, reply) => { reply.hijack().raw.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"bad_request"}'); },
    });
    this.#answerFaults();
    this.#measure();
    this.#endIdleConnections();
    this.#mountOps();
  }

  /** Adds a service's own routes, with fastify's usual encapsulation. Only before start(). */
  register(plugin: HttpRoutes): this {
    if (this.#listening !== undefined) throw new Error('routes can be registered before the start only');
    void this.#server.register(plugin);
    return this;
  }

  /** Where it listens, as host:port. Known from start() on. */
  get address(): string {
    if (this.#address === undefined) throw new Error('the HTTP server is not started');
    return this.#address;
  }

  async start(): Promise<void> {
    this.#listening ??= this.#server.listen({ host: this.#o.host, port: this.#o.port });
    await this.#listening;
    const bound = this.#server.server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the HTTP server was stopped while it was starting');
    this.#address = `${bound.address.includes(':') ? `[${bound.address}]` : bound.address}:${bound.port}`;
  }

  /** Takes no new connections, waits for requests under way, and cuts them off at the deadline. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#stopping = true;
    const cut = (): void => this.#server.server.closeAllConnections();
    deadline.addEventListener('abort', cut, { once: true });
    if (deadline.aborted) cut();
    try {
      await this.#server.close();
    } finally {
      deadline.removeEventListener('abort', cut);
    }
  }

  #mountOps(): void {
    const readiness = new ReadinessCheck(this.#o);
    this.#server.get('/livez', () => ({ alive: true }));
    this.#server.get('/readyz', async (_request, reply) => {
      const checks = await readiness.run();
      const ready = checks.every((check) => check.ok);
      return reply.code(ready ? 200 : 503).header('cache-control', 'no-store').send({ ready, checks });
    });
    this.#server.get('/metrics', async (_request, reply) => reply.type(this.#o.registry.contentType).send(await this.#o.registry.metrics()));
  }

  // fastify's own answers quote the URL and the text of exceptions.
  #answerFaults(): void {
    this.#server.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not_found' }));
    this.#server.setErrorHandler<Error & { statusCode?: number; code?: string }>((err, request, reply) => {
      const code = err.statusCode !== undefined && err.statusCode >= 400 && err.statusCode < 500 ? err.statusCode : 500;
      if (code === 500) {
        this.#o.logger.error({ event: 'http_request_failed', method: request.method, route: request.routeOptions.url, err }, 'answered 500');
      }
      return reply.code(code).send({ error: code === 500 ? 'internal' : (err.code ?? 'bad_request').toLowerCase() });
    });
  }

  #measure(): void {
    const duration = new Histogram({
      name: 'leasehold_http_request_duration_seconds', help: 'HTTP requests answered, by route pattern and status.', labelNames: ['method', 'route', 'code'],
      buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60], registers: [this.#o.registry],
    });
    this.#server.addHook('onResponse', async (request, reply) => {
      duration.observe({ method: request.method, route: request.routeOptions.url ?? 'unmatched', code: reply.statusCode }, reply.elapsedTime / 1000);
    });
  }

  // close() ends the connections that are idle when it is called. One whose request ends later would be kept alive, and the stop with it.
  #endIdleConnections(): void {
    this.#server.addHook('onResponse', async () => {
      if (this.#stopping) setImmediate(() => this.#server.server.closeIdleConnections());
    });
  }
}

/** fastify leaves a server that it did not make as it is, so that every timeout is set here. */
function httpsFactory(certificates: Certificates, http: ServerOptions, idleTimeoutMs: number): FastifyServerFactory {
  return (handler) => {
    const secure = ({ ca, certificate, key }: TlsMaterial): { ca: Buffer; cert: Buffer; key: Buffer } => ({ ca, cert: certificate, key });
    const server = createHttpsServer({ ...http, ...secure(certificates.material), requestCert: true, rejectUnauthorized: false }, handler);
    // Connections that are open keep what they were admitted by; they are short.
    const forget = certificates.onChange(({ material }) => server.setSecureContext(secure(material)));
    server.setTimeout(idleTimeoutMs);
    return server.once('close', forget);
  };
}
