import { ConfirmFileRequest, File } from '@leasehold/ingest-v1';
import { accountOf, admit, CallerLimiter, defaultCallerLimits, identityOfSocket, limitFault, type Admission, type Caller } from '@leasehold/rpc';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { fileAccess } from '../access/file-access.js';
import { domain, invalid } from '../faults.js';
import { messageOf, storedMessageOf } from '../files/card-message.js';
import { confirmFile } from '../files/confirm-file.js';
import { asFault } from '../files/dependency-faults.js';
import { cardNamed } from '../files/named.js';
import type { FileParts } from '../files/parts.js';
import { shown } from '../files/shown-card.js';
import { faultAnswer, isUnmeant } from './fault-json.js';

const confirmVerb = ':confirm';

/**
 * `POST /v1/{name}:confirm` answers 202 at once, with the resource and where to look at it; `GET /v1/{name}` looks at it. Bodies and
 * answers are the messages of ingest.v1 in proto3's JSON.
 */
export const fileRoutes = (parts: FileParts, callers = new CallerLimiter(defaultCallerLimits)): FastifyPluginAsync => async (app) => {
  app.setErrorHandler((error, request, reply) => refuse(parts, error, request, reply));
  limitCallers(app, callers);

  app.get('/v1/namespaces/:namespace/files/:file', async (request, reply) => {
    await admit(fileAccess.getFile, { name: nameIn(request) }, callerOf(request));
    const view = await shown(await cardNamed(parts.records, nameIn(request)), parts);
    return reply.header('cache-control', 'no-store').send(File.toJSON(messageOf(view)));
  });

  // The verb is split off here: to the router a colon begins a parameter.
  app.post('/v1/namespaces/:namespace/files/:file', async (request, reply) => {
    const path = nameIn(request);
    if (!path.endsWith(confirmVerb)) return reply.callNotFound();
    const name = path.slice(0, -confirmVerb.length);
    const confirmation = { ...confirmIn(request.body), name };
    await admit(fileAccess.confirmFile, confirmation, callerOf(request));
    const gone = new AbortController();
    request.raw.once('close', () => { if (!request.raw.complete) gone.abort(); });
    const card = await confirmFile(parts, confirmation, gone.signal);
    return reply.code(202).header('location', `/v1/${name}`).header('cache-control', 'no-store').send(File.toJSON(storedMessageOf(card)));
  });
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

const callerOf = ({ raw }: FastifyRequest): Caller => ({ identity: identityOfSocket(raw.socket, { domain, nowMs: Date.now() }) });

function nameIn({ params }: FastifyRequest): string {
  const part = (key: string): string => {
    const value: unknown = typeof params === 'object' && params !== null ? Object.entries(params).find(([name]) => name === key)?.[1] : undefined;
    return typeof value === 'string' ? value : '';
  };
  return `namespaces/${part('namespace')}/files/${part('file')}`;
}

function confirmIn(body: unknown): ConfirmFileRequest {
  if (typeof body !== 'object' || body === null) throw invalid('body', 'must be a ConfirmFileRequest as JSON');
  try {
    return ConfirmFileRequest.fromJSON(body);
  } catch {
    throw invalid('body', 'must be a ConfirmFileRequest as JSON: size_bytes a whole number, sha256 in base64');
  }
}

/** For every route of this service: faults as JSON, anything else logged and hidden. */
export async function refuse({ logger }: Pick<FileParts, 'logger'>, thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const error = asFault(clientError(thrown) ?? thrown);
  if (isUnmeant(error)) logger.error({ event: 'http_request_failed', method: request.method, route: request.routeOptions.url, err: error }, 'answered 500');
  const { code, headers, body } = faultAnswer(error);
  await reply.code(code).headers(headers).type('application/json').send(body);
}

/** What the HTTP server itself refuses: a body that is no JSON, too large, or of another media type. */
function clientError(error: unknown): Error | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined;
  return error.statusCode >= 400 && error.statusCode < 500 ? invalid('body', 'cannot be read as JSON of a reasonable size') : undefined;
}
