import { Readable } from 'node:stream';
import { Import, importLayoutFromJSON, importModeFromJSON, ImportReport, importStateFromJSON, ListImportRowErrorsResponse, ListImportsResponse, RetryImportRequest } from '@leasehold/ingest-v1';
import { admit } from '@leasehold/rpc';
import type { RowFault } from '@leasehold/shipment-csv';
import { rowFaultsCsv } from '@leasehold/shipment-csv';
import type { ImportRecord, RowError } from '@leasehold/stock-ledger';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { importAccess } from '../access/import-access.js';
import { invalid } from '../faults.js';
import { cancelImport } from '../imports/cancel-import.js';
import { importMessage, rowErrorMessage } from '../imports/import-message.js';
import { listImports, listRowErrors } from '../imports/list-imports.js';
import { importNamed } from '../imports/named.js';
import type { ImportParts } from '../imports/parts.js';
import { rejectionOf } from '../imports/rejection.js';
import { retryImport } from '../imports/retry-import.js';
import { handedOver, storedStateIn } from '../imports/rpc.js';
import { shown, stored } from '../imports/shown-import.js';
import { callerOf, goneSignal, numberIn, textIn } from './edge.js';

const collection = '/v1/namespaces/:namespace/imports';

/**
 * `POST /v1/{parent}/imports?import_id=…` (and `mode=partial`, `layout=warehouses`) with the file as the body answers 202 with where to look at the import; with `validate_only=true` 200 with the report. The rest as the methods of
 * ImportService, in proto3's JSON.
 */
export const importRoutes = (parts: ImportParts): FastifyPluginAsync => async (app) => {
  await app.register(submitRoute(parts));

  app.get(collection, async (request, reply) => {
    const list = { parent: parentIn(request), pageSize: numberIn(request.query, 'page_size'), pageToken: textIn(request.query, 'page_token'), states: statesIn(request) };
    await admit(importAccess.listImports, list, callerOf(request));
    const { imports, nextPageToken } = await listImports(parts, { ...list, states: list.states.map(storedStateIn) });
    return answer(reply, ListImportsResponse.toJSON({ imports: imports.map(importMessage), nextPageToken }));
  });

  app.get(`${collection}/:import`, async (request, reply) => {
    const name = nameIn(request);
    await admit(importAccess.getImport, { name }, callerOf(request));
    return answer(reply, Import.toJSON(importMessage(await shown(await importNamed(parts.ledger, name), parts))));
  });

  app.get(`${collection}/:import/rowErrors`, async (request, reply) => {
    const list = { parent: nameIn(request), pageSize: numberIn(request.query, 'page_size'), pageToken: textIn(request.query, 'page_token') };
    await admit(importAccess.listImportRowErrors, list, callerOf(request));
    const { rowErrors, nextPageToken } = await listRowErrors(parts, list);
    return answer(reply, ListImportRowErrorsResponse.toJSON({ rowErrors: rowErrors.map(rowErrorMessage), nextPageToken }));
  });

  app.get(`${collection}/:import/rowErrors.csv`, async (request, reply) => {
    const list = { parent: nameIn(request), pageSize: 0, pageToken: '' };
    await admit(importAccess.listImportRowErrors, list, callerOf(request));
    // All there are: no more are kept than a page has.
    const { rowErrors } = await listRowErrors(parts, list);
    return reply
      .headers({ 'cache-control': 'no-store', 'content-type': 'text/csv; charset=utf-8', 'x-content-type-options': 'nosniff', 'content-disposition': `attachment; filename="${textIn(request.params, 'import')}-row-errors.csv"` })
      .send([...rowFaultsCsv(rowErrors.map(faultOf))].join(''));
  });

  // The verb is split off here: to the router a colon begins a parameter.
  app.post(`${collection}/:import`, async (request, reply) => {
    const [, name = '', verb = ''] = /^(.*):([a-z]+)$/.exec(nameIn(request)) ?? [];
    if (verb === 'cancel') {
      await admit(importAccess.cancelImport, { name }, callerOf(request));
      return answer(reply, await storedJson(parts, await cancelImport(parts, name)));
    }
    if (verb !== 'retry') return reply.callNotFound();
    const retry = { ...retryIn(request.body), name };
    await admit(importAccess.retryImport, retry, callerOf(request));
    return answer(reply.code(202).header('location', `/v1/${name}`), await storedJson(parts, await retryImport(parts, retry, goneSignal(request))));
  });
};

/** Apart, as bytes are bytes here, whatever they call themselves: nothing is parsed, and the store enforces the limit as they arrive. */
const submitRoute = (parts: ImportParts): FastifyPluginAsync => async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

  app.post(collection, async (request, reply) => {
    const { query } = request;
    const spec = {
      parent: parentIn(request), importId: textIn(query, 'import_id'), charset: textIn(query, 'charset'), validateOnly: flagIn(query, 'validate_only'), sha256: digestIn(query), object: undefined,
      mode: importModeFromJSON(wordIn(query, 'mode', 'IMPORT_MODE_')), layout: importLayoutFromJSON(wordIn(query, 'layout', 'IMPORT_LAYOUT_')),
    };
    await admit(importAccess.submitImport, { part: { $case: 'spec', value: spec } }, callerOf(request));
    const body: AsyncIterable<Uint8Array> = request.body instanceof Readable ? request.body : Readable.from([]);
    const { import: accepted, report } = await handedOver(parts, spec, body, goneSignal(request));
    // A file that broke the rules is not always read to its end.
    if (!request.raw.complete) reply.header('connection', 'close');
    if (accepted === undefined) return answer(reply, report && ImportReport.toJSON(report));
    return answer(reply.code(202).header('location', `/v1/${accepted.name}`), Import.toJSON(accepted));
  });
};

const answer = (reply: FastifyReply, body: unknown): FastifyReply => reply.header('cache-control', 'no-store').send(body);
const storedJson = async (parts: ImportParts, record: ImportRecord): Promise<unknown> => Import.toJSON(importMessage(await stored(record, parts)));
const parentIn = ({ params }: FastifyRequest): string => `namespaces/${textIn(params, 'namespace')}`;
const nameIn = (request: FastifyRequest): string => `${parentIn(request)}/imports/${textIn(request.params, 'import')}`;

/** By the names of the enum, with or without its prefix, separated by commas. */
const statesIn = ({ query }: FastifyRequest): ReturnType<typeof importStateFromJSON>[] =>
  textIn(query, 'states').split(',').filter((word) => word !== '').map((word) => importStateFromJSON(word.startsWith('IMPORT_STATE_') ? word : `IMPORT_STATE_${word.toUpperCase()}`));

/** A name of an enum, with or without its prefix; left out: unset. */
function wordIn(query: unknown, key: string, prefix: string): string {
  const word = textIn(query, key).toUpperCase();
  return word.startsWith(prefix) ? word : `${prefix}${word === '' ? 'UNSPECIFIED' : word}`;
}

function flagIn(query: unknown, key: string): boolean {
  const text = textIn(query, key);
  if (!['', 'true', 'false'].includes(text)) throw invalid(key, 'must be true or false');
  return text === 'true';
}

function digestIn(query: unknown): Buffer {
  const text = textIn(query, 'sha256');
  if (!/^([0-9a-f]{64})?$/.test(text)) throw invalid('sha256', 'must be 64 hexadecimal digits');
  return Buffer.from(text, 'hex');
}

function retryIn(body: unknown): RetryImportRequest {
  if (typeof body !== 'object' || body === null) throw invalid('body', 'must be a RetryImportRequest as JSON: the etag of the import that is meant');
  return RetryImportRequest.fromJSON(body);
}

const codes: readonly RowFault['code'][] = ['EMPTY', 'ENCODING', 'HEADER', 'QUOTING', 'RAGGED', 'QUANTITY', 'SKU', 'WAREHOUSE', 'OPERATION', 'LIMIT', 'NEGATIVE_STOCK'];
/** A code that this version does not know is told as the limit of what it knows: the message says what to mend. */
const faultOf = ({ line, column, code, message }: RowError): RowFault => ({ line, column, message, code: codes.find((known) => known === rejectionOf(code)) ?? 'LIMIT' });
