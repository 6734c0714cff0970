import type {
  AcquireLeasesRequest, AcquireLeasesResponse, DeregisterWorkerRequest, DeregisterWorkerResponse, ExtendLeasesRequest, ExtendLeasesResponse,
  RegisterWorkerRequest, RegisterWorkerResponse, SettleLeasesRequest, SettleLeasesResponse,
} from '@leasehold/lease-v1';

/** How long a call may take, in ms, and what ends it earlier. */
export interface LeaseCallOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Call<Request, Response> = (request: Request, o: LeaseCallOptions) => Promise<Response>;

/**
 * One connection to a coordinator: what `createClient(LeaseServiceService, address)` of @leasehold/rpc answers. It must not repeat
 * calls by itself: trust is counted from the sending of the very call that was answered.
 */
export interface LeaseConnection {
  readonly registerWorker: Call<RegisterWorkerRequest, RegisterWorkerResponse>;
  readonly acquireLeases: Call<AcquireLeasesRequest, AcquireLeasesResponse>;
  readonly extendLeases: Call<ExtendLeasesRequest, ExtendLeasesResponse>;
  readonly settleLeases: Call<SettleLeasesRequest, SettleLeasesResponse>;
  readonly deregisterWorker: Call<DeregisterWorkerRequest, DeregisterWorkerResponse>;
}
