import { File, FileServiceService, FileState, Import, ImportRejectionReason, ImportServiceService, ImportState, RejectionReason } from '@leasehold/ingest-v1';
import { faults, GrpcServer, readImage, service } from '@leasehold/rpc';
import { createLogger, createRegistry } from '@leasehold/service';

const fault = faults('ingest.leasehold');
const unmeant = (): never => {
  throw fault.unimplemented();
};

/** The edges of ingest on a real server, with a photo and a shipment that were refused: `photo-1` and `batch-1`, both of generation 1. */
export async function startIngest(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  let file = File.create({ name: 'namespaces/default/files/photo-1', state: FileState.REJECTED, generation: 1, etag: 'e1', rejection: { reason: RejectionReason.EXHAUSTED, explanation: 'every attempt failed' } });
  let batch = Import.create({ name: 'namespaces/team/imports/batch-1', state: ImportState.REJECTED, generation: 1, etag: 'e1', rejection: { reason: ImportRejectionReason.NEGATIVE_STOCK, explanation: 'line 3 takes more than there is', rowErrorCount: 1n, rowErrors: [] } });
  const files = service(FileServiceService, {
    getFile: async ({ name }) => {
      if (name !== file.name) throw fault.notFound('FILE_NOT_FOUND', `${name} is not known`);
      return { file };
    },
    retryFile: async ({ etag }) => {
      if (file.state !== FileState.REJECTED) throw fault.failedPrecondition('FILE_NOT_REJECTED', 'only a REJECTED card is retried', { violations: [] });
      if (etag !== file.etag) throw fault.aborted('ETAG_MISMATCH', 'another generation was meant');
      file = { ...file, state: FileState.QUEUED, generation: file.generation + 1, etag: 'e2', rejection: undefined };
      return { file };
    },
    createFile: unmeant, uploadFile: unmeant, confirmFile: unmeant, listFiles: unmeant, watchFile: unmeant, downloadFile: unmeant, getDownloadUrl: unmeant, deleteFile: unmeant,
  }, { domain: 'ingest.leasehold' });
  const imports = service(ImportServiceService, {
    getImport: async () => ({ import: batch }),
    retryImport: async ({ etag }) => {
      if (etag !== batch.etag) throw fault.aborted('ETAG_MISMATCH', 'another generation was meant');
      batch = { ...batch, state: ImportState.ACCEPTED, generation: batch.generation + 1, etag: 'e2', rejection: undefined };
      return { import: batch };
    },
    submitImport: unmeant, listImports: unmeant, listImportRowErrors: unmeant, watchImport: unmeant, cancelImport: unmeant,
  }, { domain: 'ingest.leasehold' });
  const server = new GrpcServer({
    host: '127.0.0.1', port: 0, services: [files, imports], images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))],
    logger: createLogger({ service: 'test', level: 'fatal' }), registry: createRegistry('test'),
  });
  await server.start();
  return { address: server.address, stop: () => server.stop(AbortSignal.abort()) };
}
