import { FileServiceService, UploadFileResponse } from '@leasehold/ingest-v1';
import { GetJobRequest, GetJobResponse, QueueServiceService } from '@leasehold/queue-v1';
import { expect, expectTypeOf, test } from 'vitest';
import type { ClientOf } from './client.js';
import type { ClientStream, HandlersOf, ServerStream, Unary } from './definition.js';
import { service } from './service.js';

type Queue = HandlersOf<typeof QueueServiceService>;

test('handlers and clients have the types of the definition', () => {
  expectTypeOf<Queue['getJob']>().toEqualTypeOf<Unary<GetJobRequest, GetJobResponse>>();
  expectTypeOf<Queue['watchJob']>().toExtend<ServerStream<{ name: string }, { job: unknown }>>();
  expectTypeOf<HandlersOf<typeof FileServiceService>['uploadFile']>().returns.resolves.toEqualTypeOf<UploadFileResponse>();
  expectTypeOf<HandlersOf<typeof FileServiceService>['uploadFile']>().toExtend<ClientStream<never, UploadFileResponse>>();
  expectTypeOf<keyof Queue>().toEqualTypeOf<keyof typeof QueueServiceService>();
  expectTypeOf<ClientOf<typeof QueueServiceService>['getJob']>().returns.resolves.toEqualTypeOf<GetJobResponse>();
  expectTypeOf<ClientOf<typeof QueueServiceService>['watchJob']>().returns.toExtend<AsyncIterable<{ job: unknown }>>();
  expectTypeOf<keyof ClientOf<typeof QueueServiceService>>().toEqualTypeOf<keyof typeof QueueServiceService | 'close' | 'channelState'>();
});

test('a missing handler does not compile, and does not start', () => {
  const domain = 'queue.leasehold';
  // @ts-expect-error: seven handlers are missing
  expect(() => service(QueueServiceService, { getJob: () => Promise.resolve(GetJobResponse.create()) }, { domain })).toThrow('/leasehold.queue.v1.QueueService/EnqueueJobs has no handler');
  // @ts-expect-error: getJob answers a GetJobResponse
  expectTypeOf<Queue>().toExtend<{ getJob: Unary<GetJobRequest, UploadFileResponse> }>();
});

test('a service is named by its definition', () => {
  const refuse = (): never => { throw new Error('not called'); };
  const handlers: Queue = {
    enqueueJobs: refuse, getJob: refuse, batchGetJobs: refuse, listJobs: refuse, cancelJob: refuse, watchJob: refuse, pullOutcomes: refuse, ackOutcomes: refuse,
  };
  expect(service(QueueServiceService, handlers, { domain: 'queue.leasehold' })).toMatchObject({ name: 'leasehold.queue.v1.QueueService', domain: 'queue.leasehold' });
});
