// What buf and ts-proto generate from image.proto; the generator owns the names.
export * from './gen/leasehold/jobs/image/v2/image.pb.js';
