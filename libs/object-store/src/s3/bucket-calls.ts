import { S3Client } from '@aws-sdk/client-s3';
import { asStoreFault } from './s3-fault.js';

export interface S3StoreOptions {
  /** `https://host[:port]`, without a path: buckets are named in the path. */
  readonly endpoint: string;
  readonly bucket: string;
  /** What the store signs with; a store that is not Amazon's takes any. Default `us-east-1`. */
  readonly region?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Until a connection stands; default 5 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** One attempt, from its first byte to the head of the answer; also the longest silence within a body that is read. Default 30 s. */
  readonly attemptTimeoutMs?: number | undefined;
  /** How often a call is tried while the store is busy or away, with growing delays. 1 or more, default 3. */
  readonly attempts?: number | undefined;
  /** Larger bodies are stored in parts of this size, two of them in memory. 5 MiB (S3's bound) or more; default 8 MiB. */
  readonly partBytes?: number | undefined;
  /** Entries that a listing asks for at once; 1 to 1000, which is the default. */
  readonly pageSize?: number | undefined;
  /** Milliseconds since 1970, for expiries and the clock skew. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** As many reads may hold a connection at once as a service has callers; the SDK's 50 would let slow readers starve everybody else. */
const maxConnections = 512;
const silent = { trace: (): void => undefined, debug: (): void => undefined, info: (): void => undefined, warn: (): void => undefined, error: (): void => undefined };

export type CallOptions = { readonly abortSignal?: AbortSignal };

/** Every call to one bucket: bounded in time and attempts, ended by a signal at once, failing with StoreFaults. */
export class BucketCalls {
  readonly client: S3Client;
  readonly bucket: string;
  readonly #dates = new WeakMap<object, Date>();

  constructor(o: S3StoreOptions) {
    // The SDK would tell every start on Node 20 that its later versions need another Node; they are pinned.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
    this.bucket = o.bucket;
    this.client = new S3Client({
      endpoint: o.endpoint,
      region: o.region ?? 'us-east-1',
      credentials: { accessKeyId: o.accessKeyId, secretAccessKey: o.secretAccessKey },
      forcePathStyle: true,
      useDualstackEndpoint: false,
      useFipsEndpoint: false,
      // Bodies are covered by the signature's SHA-256; trailing checksums are what other stores than Amazon's stumble over.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      retryMode: 'standard',
      maxAttempts: o.attempts ?? 3,
      logger: silent,
      requestHandler: {
        connectionTimeout: o.connectTimeoutMs ?? 5_000,
        requestTimeout: o.attemptTimeoutMs ?? 30_000,
        throwOnRequestTimeout: true,
        httpAgent: { keepAlive: true, maxSockets: maxConnections },
        httpsAgent: { keepAlive: true, maxSockets: maxConnections },
      },
    });
    this.client.middlewareStack.add((next) => async (args) => {
      const result = await next(args);
      const date = dateOf(result.response);
      if (date !== undefined && result.output !== undefined) this.#dates.set(result.output, date);
      return result;
    }, { step: 'deserialize', priority: 'high', name: 'leaseholdStoreDate' });
  }

  /** Runs one call of the SDK. The signal ends the wait at once, also between two attempts. */
  async call<T>(operation: string, signal: AbortSignal | undefined, act: (o: CallOptions) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    try {
      return signal === undefined ? await act({}) : await orAborted(act({ abortSignal: signal }), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw asStoreFault(operation, error);
    }
  }

  /** The store's clock when it answered with this output, to the second. */
  storeTime(output: object): Date | undefined {
    return this.#dates.get(output);
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function dateOf(response: unknown): Date | undefined {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return undefined;
  const { headers } = response;
  if (typeof headers !== 'object' || headers === null || !('date' in headers) || typeof headers.date !== 'string') return undefined;
  const date = new Date(headers.date);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
