import { StoreFault, verifySignedRequest, type DownloadGrant, type GrantRefusal, type ObjectStore, type StoredVersion, type UploadGrant } from '@leasehold/object-store';
import type { Logger } from '@leasehold/service';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

export interface ObjectRouteParts {
  readonly store: ObjectStore;
  /** Those that signed URLs are verified by; the first one signs. */
  readonly secrets: readonly string[];
  readonly logger: Logger;
}

/** Where signed URLs of the embedded store point to; the query says what may be done. */
export const objectsPath = '/objects';

const refusals: Record<GrantRefusal, { code: number; message: string }> = {
  malformed: { code: 400, message: 'this is no signed URL' },
  bad_signature: { code: 403, message: 'the signature does not fit the request' },
  expired: { code: 403, message: 'the URL has expired; ask for another one' },
  wrong_content_type: { code: 403, message: 'the request does not carry the signed content-type' },
  wrong_length: { code: 403, message: 'the request does not have the signed length' },
};
const mediaType = /^[A-Za-z0-9][\w!#$&^.+-]*\/[A-Za-z0-9][\w!#$&^.+-]*$/;

/** PUT and GET of the embedded store's signed URLs: what S3 serves itself. Streams both ways; never logs a URL. */
export const objectRoutes = (parts: ObjectRouteParts): FastifyPluginAsync => async (app) => {
  // Bytes are bytes here, whatever they call themselves: nothing is parsed, and the store enforces the limit as they arrive.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  app.put(objectsPath, async (request, reply) => {
    const grant = verified(parts, request);
    if ('refused' in grant) return refuse(reply, grant.refused);
    return grant.operation === 'upload' ? upload(parts, grant, request, reply) : refuse(reply, 'bad_signature');
  });

  app.get(objectsPath, { exposeHeadRoute: false }, async (request, reply) => {
    const grant = verified(parts, request);
    if ('refused' in grant) return refuse(reply, grant.refused);
    return grant.operation === 'download' ? download(parts, grant, reply) : refuse(reply, 'bad_signature');
  });
};

function verified({ secrets }: ObjectRouteParts, request: FastifyRequest): UploadGrant | DownloadGrant | { refused: GrantRefusal } {
  const { method, raw, headers } = request;
  const asked = { method, url: raw.url ?? '', contentType: headers['content-type'], contentLength: headers['content-length'] };
  const result = verifySignedRequest(asked, { secrets, nowMs: Date.now() });
  return result.ok ? result.grant : { refused: result.reason };
}

async function upload({ store, logger }: ObjectRouteParts, grant: UploadGrant, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > grant.maxBytes) return tooLarge(reply, grant.maxBytes);
  const offered = request.headers['content-type'] ?? '';
  const contentType = mediaType.test(offered) && offered.length <= 100 ? offered : 'application/octet-stream';
  let stored: StoredVersion;
  try {
    stored = await store.put(grant.key, bodyOf(request), { contentType, maxBytes: grant.maxBytes });
  } catch (error) {
    if (error instanceof StoreFault && error.kind === 'too_large') return tooLarge(reply, grant.maxBytes);
    // The caller went away in the middle: nobody hears the answer, and nothing was stored.
    if (request.raw.destroyed && !request.raw.complete) return answer(reply, 400, 'the body ended before its time');
    return failed(logger, error, reply);
  }
  logger.info({ event: 'object_stored', key: grant.key, size_bytes: stored.sizeBytes }, 'a version came in by a signed request');
  return reply.code(200).header('x-leasehold-version-id', stored.versionId).header('etag', `"${stored.sha256.toString('hex')}"`).send();
}

async function download({ store, logger }: ObjectRouteParts, grant: DownloadGrant, reply: FastifyReply): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  let found: Awaited<ReturnType<ObjectStore['get']>>;
  try {
    found = await store.get(grant.key, grant.versionId, { signal: gone.signal });
  } catch (error) {
    if (error instanceof StoreFault && error.kind === 'not_found') return answer(reply, 404, 'there is no such version');
    return failed(logger, error, reply);
  }
  return reply
    .code(200)
    .headers({
      'content-type': grant.contentType,
      'content-length': String(found.version.sizeBytes),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'x-leasehold-version-id': found.version.versionId,
    })
    .send(Readable.from(found.body, { objectMode: false }));
}

/** The request's bytes; none when it has no body at all. */
const bodyOf = (request: FastifyRequest): AsyncIterable<Uint8Array> => (request.body instanceof Readable ? request.body : Readable.from([]));

const refuse = (reply: FastifyReply, reason: GrantRefusal): FastifyReply => answer(reply, refusals[reason].code, refusals[reason].message);
// The rest of the body is not read: the connection must not be used again.
const tooLarge = (reply: FastifyReply, maxBytes: number): FastifyReply => answer(reply.header('connection', 'close'), 413, `at most ${maxBytes} bytes are taken`);

function failed(logger: Logger, error: unknown, reply: FastifyReply): FastifyReply {
  const away = error instanceof StoreFault && error.kind === 'unavailable';
  logger.error({ event: 'object_request_failed', err: error }, 'a signed request could not be served');
  return away ? answer(reply.header('retry-after', '1'), 503, 'the object store is out of reach for a moment') : answer(reply, 500, 'an internal error; the server has logged it');
}

const answer = (reply: FastifyReply, code: number, message: string): FastifyReply => reply.code(code).header('cache-control', 'no-store').send({ error: { code, message } });
