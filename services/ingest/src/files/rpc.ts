import {
  CreateFileResponse, DownloadFileResponse, FileServiceService, GetDownloadUrlResponse, ListFilesResponse, UploadFileResponse, type DownloadFileRequest,
  type FileState,
  type UploadFileRequest,
} from '@leasehold/ingest-v1';
import { service, type ServiceBinding } from '@leasehold/rpc';
import { fileAccess } from '../access/file-access.js';
import { domain, invalid } from '../faults.js';
import { messageOf, renditionMessage, storedMessageOf, storedStateOf } from './card-message.js';
import { confirmFile } from './confirm-file.js';
import { createFile } from './create-file.js';
import { deleteFile } from './delete-file.js';
import { answering, answeringEach } from './dependency-faults.js';
import { downloadFile, downloadUrl } from './download-file.js';
import { listFiles } from './list-files.js';
import { cardNamed } from './named.js';
import type { FileParts } from './parts.js';
import { retryFile } from './retry-file.js';
import type { State } from './rules.js';
import { shown } from './shown-card.js';
import { uploadFile, type UploadPart } from './upload-file.js';
import { watchFile } from './watch-file.js';

/** ingest.v1: messages to calls and back, nothing else. */
export const fileService = (parts: FileParts): ServiceBinding =>
  service(
    FileServiceService,
    {
      createFile: (request) => answering(async () => {
        const { card, upload } = await createFile(parts, request);
        return CreateFileResponse.create({ file: storedMessageOf(card), uploadTarget: upload && { ...upload, headers: { ...upload.headers } } });
      }),
      uploadFile: (requests, call) => answering(async () => {
        const { versionId, sizeBytes, sha256 } = await uploadFile(parts, uploadParts(requests), call.signal);
        return UploadFileResponse.create({ versionId, sizeBytes: BigInt(sizeBytes), sha256 });
      }),
      confirmFile: (request, call) => answering(async () => ({ file: storedMessageOf(await confirmFile(parts, request, call.signal)) })),
      getFile: (request) => answering(async () => ({ file: messageOf(await shown(await cardNamed(parts.records, request.name), parts)) })),
      listFiles: (request) => answering(async () => {
        const { cards, nextPageToken } = await listFiles(parts, { ...request, states: request.states.map(stateIn) });
        return ListFilesResponse.create({ files: cards.map(messageOf), nextPageToken });
      }),
      watchFile: (request, call) => answeringEach(watchFile(parts, request.name, AbortSignal.any([call.signal, call.draining])), (view) => ({ file: messageOf(view) })),
      downloadFile: (request, call) => answeringEach(download(parts, request, call.signal), (message) => message),
      getDownloadUrl: (request) => answering(async () => {
        const { url, expireTime } = await downloadUrl(parts, request.name, request.rendition);
        return GetDownloadUrlResponse.create({ url, expireTime });
      }),
      retryFile: (request) => answering(async () => ({ file: storedMessageOf(await retryFile(parts, request)) })),
      deleteFile: (request) => answering(async () => ({ file: storedMessageOf(await deleteFile(parts, request.name)) })),
    },
    { domain, access: fileAccess },
  );

async function* uploadParts(requests: AsyncIterable<UploadFileRequest>): AsyncGenerator<UploadPart> {
  for await (const { part } of requests) {
    if (part === undefined) throw invalid('part', 'must hold the name or a chunk');
    yield part.$case === 'name' ? { name: part.value } : { chunk: part.value };
  }
}

async function* download(parts: FileParts, asked: DownloadFileRequest, signal: AbortSignal): AsyncGenerator<DownloadFileResponse> {
  const { card, rendition, chunks } = await downloadFile(parts, asked.name, asked.rendition, signal);
  yield DownloadFileResponse.create({ part: { $case: 'rendition', value: renditionMessage(card, rendition) } });
  for await (const chunk of chunks) yield DownloadFileResponse.create({ part: { $case: 'chunk', value: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) } });
}

function stateIn(state: FileState, at: number): State {
  const stored = storedStateOf(state);
  if (stored === undefined) throw invalid(`states[${at}]`, 'must be a stored state; for PROCESSING ask for QUEUED');
  return stored;
}
