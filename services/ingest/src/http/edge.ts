import { accountOf, identityOfSocket, limitFault, type Admission, type Caller, type CallerLimiter } from '@leasehold/rpc';
import type { Logger } from '@leasehold/service';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { domain, invalid } from '../faults.js';
import { asFault } from '../files/dependency-faults.js';
import { faultAnswer, isUnmeant } from './fault-json.js';

/** Routes for callers, with the limits and the faults of the gRPC edge. */
export const callerRoutes = ({ logger, callers }: { logger: Logger; callers: CallerLimiter }, routes: readonly FastifyPluginAsync[]): FastifyPluginAsync => async (app) => {
  app.setErrorHandler((error, request, reply) => refuse(logger, error, request, reply));
  limitCallers(app, callers);
  for (const each of routes) await app.register(each);
};

/** As over gRPC: each caller takes so much at once and no more. */
function limitCallers(app: FastifyInstance, callers: CallerLimiter): void {
  const under = new WeakMap<FastifyRequest, Admission>();
  app.addHook('onRequest', async (request) => {
    const { remoteAddress, remotePort } = request.raw.socket;
    const admission = callers.enter(accountOf(callerOf(request).identity, `${remoteAddress}:${remotePort}`), false);
    if ('limit' in admission) throw limitFault(admission, domain);
    under.set(request, admission);
  });
  const left = async (request: FastifyRequest): Promise<void> => {
    under.get(request)?.leave();
    under.delete(request);
  };
  app.addHook('onResponse', left);
  app.addHook('onRequestAbort', left);
}

export const callerOf = ({ raw }: FastifyRequest): Caller => ({ identity: identityOfSocket(raw.socket, { domain, nowMs: Date.now() }) });

/** A part of the path, or a field of the query; empty when it is not there. @throws INVALID_ARGUMENT for a field that is there twice. */
export function textIn(from: unknown, key: string): string {
  const value: unknown = typeof from === 'object' && from !== null ? Object.entries(from).find(([name]) => name === key)?.[1] : undefined;
  if (Array.isArray(value)) throw invalid(key, 'must be given once');
  return typeof value === 'string' ? value : '';
}

/** A whole number of the query; 0 when it is not there. */
export function numberIn(query: unknown, key: string): number {
  const text = textIn(query, key);
  if (!/^[0-9]{0,9}$/.test(text)) throw invalid(key, 'must be a whole number');
  return Number(text);
}

/** Fires when the caller goes away before its request was read whole. */
export function goneSignal(request: FastifyRequest): AbortSignal {
  const gone = new AbortController();
  request.raw.once('close', () => { if (!request.raw.complete) gone.abort(); });
  return gone.signal;
}

/** Faults as JSON, anything else logged and hidden. */
async function refuse(logger: Logger, thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const error = asFault(clientError(thrown) ?? thrown);
  if (isUnmeant(error)) logger.error({ event: 'http_request_failed', method: request.method, route: request.routeOptions.url, err: error }, 'answered 500');
  const { code, headers, body } = faultAnswer(error);
  // What was not read of a body would be taken for the next request.
  if (!request.raw.complete) reply.header('connection', 'close');
  await reply.code(code).headers(headers).type('application/json').send(body);
}

/** What the HTTP server itself refuses: a body that is no JSON, too large, or of another media type. */
function clientError(error: unknown): Error | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined;
  return error.statusCode >= 400 && error.statusCode < 500 ? invalid('body', 'cannot be read as JSON of a reasonable size') : undefined;
}
