// What buf and ts-proto generate from image.proto; the generator owns the names.
export * from './gen/leasehold/jobs/image/v1/image.pb.js';
