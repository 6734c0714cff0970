// What buf and ts-proto generate from file_service.proto; the generator owns the names.
export * from './gen/leasehold/ingest/v1/file_service.pb.js';
