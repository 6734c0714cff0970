import { once } from 'node:events';
import { connect } from 'node:http2';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { Status } from '@leasehold/google-rpc';
import type { MethodDefinition } from './definition.js';

/** What a client that knows nothing of Leasehold's faults sees of a refused call; `details` are the types in the details trailer. */
export interface Refusal {
  code: number;
  details: string[];
}

export function rawUnary(address: string, method: MethodDefinition, request: unknown): Promise<Refusal> {
  const client = new Client(address, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 });
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(method.path, (v) => method.requestSerialize(v), (b) => method.responseDeserialize(b), request, new Metadata(), {}, (error) => {
      client.close();
      if (error === null) reject(new Error('the call succeeded'));
      else resolve({ code: error.code, details: error.metadata.get('grpc-status-details-bin').flatMap((value) => typesIn(Buffer.from(value))) });
    });
  });
}

/** A call with an empty request whose deadline only the server judges: this client waits for whatever comes. */
export async function rawWithServerDeadline(address: string, path: string, timeoutMs: number): Promise<Refusal> {
  const session = connect(`http://${address}`);
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', 'grpc-timeout': `${timeoutMs}m` });
    stream.end(Buffer.alloc(5));
    const [headers]: Record<string, unknown>[] = await once(stream, 'response');
    const trailer = headers?.['grpc-status-details-bin'];
    return { code: Number(headers?.['grpc-status']), details: typeof trailer === 'string' ? typesIn(Buffer.from(trailer, 'base64')) : [] };
  } finally {
    session.destroy();
  }
}

const typesIn = (details: Uint8Array): string[] => Status.decode(details).details.map(({ typeUrl }) => typeUrl);
