// What buf and ts-proto generate from rollout_service.proto; the generator owns the names.
export * from './gen/leasehold/rollout/v1/rollout_service.pb.js';
