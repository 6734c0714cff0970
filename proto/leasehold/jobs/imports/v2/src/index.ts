// What buf and ts-proto generate from imports.proto; the generator owns the names.
export * from './gen/leasehold/jobs/imports/v2/imports.pb.js';
