import {
  ImportReport, ImportServiceService, ListImportRowErrorsResponse, ListImportsResponse, SubmitImportResponse, type ImportState, type SubmitImportRequest,
} from '@leasehold/ingest-v1';
import { service, type ServiceBinding } from '@leasehold/rpc';
import type { ImportRecord, ImportState as StoredState } from '@leasehold/stock-ledger';
import { importAccess } from '../access/import-access.js';
import { chunksOf } from '../bytes-in.js';
import { domain, invalid } from '../faults.js';
import { answering, answeringEach } from '../files/dependency-faults.js';
import { cancelImport } from './cancel-import.js';
import { importMessage, rowErrorMessage, storedStateOf } from './import-message.js';
import { listImports, listRowErrors } from './list-imports.js';
import { importNamed } from './named.js';
import type { ImportParts } from './parts.js';
import { retryImport } from './retry-import.js';
import { shown, stored } from './shown-import.js';
import { submissionOf, type ImportSpec } from './submission.js';
import { submitImport } from './submit-import.js';
import { validateImport, type Report } from './validate-import.js';
import { watchImport } from './watch-import.js';

type SubmitPart = { readonly spec: ImportSpec } | { readonly chunk: Uint8Array };

/** leasehold.ingest.v1.ImportService: messages to calls and back, nothing else. */
export const importService = (parts: ImportParts): ServiceBinding => {
  const storedMessage = async (record: ImportRecord) => ({ import: importMessage(await stored(record, parts)) });
  return service(
    ImportServiceService,
    {
      submitImport: (requests, call) => answering(async () => {
        const incoming = submitParts(requests);
        const first = await incoming.next();
        if (first.done === true || !('spec' in first.value)) throw invalid('spec', 'the first message must hold it');
        return handedOver(parts, first.value.spec, chunksOf(incoming, 'spec'), call.signal);
      }),
      getImport: (request) => answering(async () => ({ import: importMessage(await shown(await importNamed(parts.ledger, request.name), parts)) })),
      listImports: (request) => answering(async () => {
        const { imports, nextPageToken } = await listImports(parts, { ...request, states: request.states.map(storedStateIn) });
        return ListImportsResponse.create({ imports: imports.map(importMessage), nextPageToken });
      }),
      listImportRowErrors: (request) => answering(async () => {
        const { rowErrors, nextPageToken } = await listRowErrors(parts, request);
        return ListImportRowErrorsResponse.create({ rowErrors: rowErrors.map(rowErrorMessage), nextPageToken });
      }),
      watchImport: (request, call) => answeringEach(watchImport(parts, request.name, AbortSignal.any([call.signal, call.draining])), (view) => ({ import: importMessage(view) })),
      cancelImport: (request) => answering(async () => storedMessage(await cancelImport(parts, request.name))),
      retryImport: (request, call) => answering(async () => storedMessage(await retryImport(parts, request, call.signal))),
    },
    { domain, access: importAccess },
  );
};

/** A shipment from whichever edge: taken, or only looked at. */
export async function handedOver(parts: ImportParts, spec: ImportSpec, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<SubmitImportResponse> {
  const submission = submissionOf(spec);
  if (submission.object !== undefined) await noneOf(chunks);
  if (submission.validateOnly) return SubmitImportResponse.create({ report: reportMessage(await validateImport(parts, submission, chunks, signal)) });
  return SubmitImportResponse.create({ import: importMessage(await stored(await submitImport(parts, submission, chunks, signal), parts)) });
}

async function* submitParts(requests: AsyncIterable<SubmitImportRequest>): AsyncGenerator<SubmitPart> {
  for await (const { part } of requests) {
    if (part === undefined) throw invalid('part', 'must hold the spec or a chunk');
    yield part.$case === 'spec' ? { spec: part.value } : { chunk: part.value };
  }
}

async function noneOf(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks) throw invalid('chunk', 'none may follow a spec that names an object');
}

const reportMessage = ({ acceptable, result, rowErrors, rowErrorCount, separator, charset, ignoredColumns }: Report): ImportReport =>
  ImportReport.create({
    acceptable, rowErrorCount, separator, charset, rowErrors: rowErrors.map(rowErrorMessage), ignoredColumns: [...ignoredColumns],
    result: result && { ...result, catalogueGeneration: 0n, applyTime: undefined },
  });

export function storedStateIn(state: ImportState, at: number): StoredState {
  const known = storedStateOf(state);
  if (known === undefined) throw invalid(`states[${at}]`, 'must be a stored state; for PROCESSING ask for ACCEPTED');
  return known;
}
