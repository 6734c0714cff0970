// What buf and ts-proto generate from echo_service.proto; the generator owns the names.
export * from './gen/leasehold/echo/v1/echo_service.pb.js';
