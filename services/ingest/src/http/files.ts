import { ConfirmFileRequest, File } from '@leasehold/ingest-v1';
import { admit } from '@leasehold/rpc';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { fileAccess } from '../access/file-access.js';
import { invalid } from '../faults.js';
import { messageOf, storedMessageOf } from '../files/card-message.js';
import { confirmFile } from '../files/confirm-file.js';
import { cardNamed } from '../files/named.js';
import type { FileParts } from '../files/parts.js';
import { shown } from '../files/shown-card.js';
import { callerOf, goneSignal, textIn } from './edge.js';

const confirmVerb = ':confirm';

/**
 * `POST /v1/{name}:confirm` answers 202 at once, with the resource and where to look at it; `GET /v1/{name}` looks at it. Bodies and
 * answers are the messages of ingest.v1 in proto3's JSON.
 */
export const fileRoutes = (parts: FileParts): FastifyPluginAsync => async (app) => {
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
    const card = await confirmFile(parts, confirmation, goneSignal(request));
    return reply.code(202).header('location', `/v1/${name}`).header('cache-control', 'no-store').send(File.toJSON(storedMessageOf(card)));
  });
};

const nameIn = ({ params }: FastifyRequest): string => `namespaces/${textIn(params, 'namespace')}/files/${textIn(params, 'file')}`;

function confirmIn(body: unknown): ConfirmFileRequest {
  if (typeof body !== 'object' || body === null) throw invalid('body', 'must be a ConfirmFileRequest as JSON');
  try {
    return ConfirmFileRequest.fromJSON(body);
  } catch {
    throw invalid('body', 'must be a ConfirmFileRequest as JSON: size_bytes a whole number, sha256 in base64');
  }
}
