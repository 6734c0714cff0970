import { Client, credentials, Metadata, type CallOptions } from '@grpc/grpc-js';
import { Status } from '@leasehold/google-rpc';
import type { MethodDefinition } from './definition.js';

/** What a client that knows nothing of Leasehold's faults sees of a refused call: code, text and the types in the details trailer. */
export function rawUnary(address: string, method: MethodDefinition, request: unknown, o: CallOptions = {}): Promise<{ code: number; text: string; details: string[] }> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 });
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(method.path, (v) => method.requestSerialize(v), (b) => method.responseDeserialize(b), request, new Metadata(), o, (error) => {
      client.close();
      const trailer = error?.metadata.get('grpc-status-details-bin') ?? [];
      if (error === null) reject(new Error('the call succeeded'));
      else resolve({ code: error.code, text: error.details, details: trailer.flatMap((value) => Status.decode(Buffer.from(value)).details.map((d) => d.typeUrl)) });
    });
  });
}
