// What buf and ts-proto generate from the .proto files of the edge; the generator owns the names.
export * from './gen/leasehold/ingest/v1/file_service.pb.js';
export * from './gen/leasehold/ingest/v1/import_service.pb.js';
export * from './gen/leasehold/ingest/v1/stock_service.pb.js';
