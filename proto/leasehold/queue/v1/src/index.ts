// What buf and ts-proto generate from queue_service.proto; the generator owns the names.
export * from './gen/leasehold/queue/v1/queue_service.pb.js';
