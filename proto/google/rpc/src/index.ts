// What buf and ts-proto generate from status.proto and error_details.proto; the generator owns the names.
export { Status } from './gen/google/rpc/status.pb.js';
export { BadRequest, ErrorInfo, PreconditionFailure, RetryInfo } from './gen/google/rpc/error_details.pb.js';
export { Any } from './gen/google/protobuf/any.pb.js';
