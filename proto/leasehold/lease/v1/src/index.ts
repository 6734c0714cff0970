// What buf and ts-proto generate from lease_service.proto; the generator owns the names.
export * from './gen/leasehold/lease/v1/lease_service.pb.js';
