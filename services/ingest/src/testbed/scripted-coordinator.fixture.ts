import {
  BatchGetJobsResponse, CancelJobResponse, EnqueueJobsResponse, EnqueueResult, EnqueueVerdict, GetContractSharesResponse, Job, JobState, Outcome, Progress, PullOutcomesResponse, QueueServiceService,
  type EnqueueJobsRequest, type GetContractSharesRequest, type JobSpec,
} from '@leasehold/queue-v1';
import { durationOfMs, faults, GrpcServer, readImage, service } from '@leasehold/rpc';
import { createLogger } from '@leasehold/service';
import { Registry } from 'prom-client';

type Method = keyof typeof QueueServiceService;
const refuse = faults('queue.leasehold');
const final = new Set<number>([JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED]);

/** A gRPC server that speaks queue.v1 by the words of its proto, keeps jobs in memory, and does what a test tells it to. */
export class ScriptedCoordinator {
  readonly jobs = new Map<string, Job>();
  readonly specs = new Map<string, JobSpec>();
  readonly calls: { method: Method; request: unknown }[] = [];
  /** Names that were cancelled before they were known. */
  readonly tombstones = new Set<string>();
  /** Waiting for acknowledgement. */
  outcomes: Outcome[] = [];
  /** What to answer for a spec instead of taking it. */
  verdictFor: (spec: JobSpec) => EnqueueVerdict | undefined = () => undefined;
  /** What it says of contract versions, by kind; undefined: it is from before there were shares. */
  shares: Readonly<Record<string, readonly { readonly contractVersion: number; readonly percent: number }[]>> | undefined;
  /** Runs before a call is served; a test may wait here, or throw. */
  before: (method: Method) => Promise<void> | void = () => undefined;
  readonly #lose = new Map<Method, number>();
  #sequence = 1_000n;
  #server: GrpcServer | undefined;

  static async start(): Promise<ScriptedCoordinator> {
    const coordinator = new ScriptedCoordinator();
    coordinator.#server = coordinator.#build();
    await coordinator.#server.start();
    return coordinator;
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  async stop(): Promise<void> {
    await this.#server?.stop(AbortSignal.timeout(1_000));
  }

  /** The next `times` calls do their work, and their answers never arrive. */
  loseReplies(method: Method, times: number): void {
    this.#lose.set(method, times);
  }

  callsOf(method: Method): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  grant(name: string, progress?: { percent: number; stage: string; items?: bigint; bytes?: bigint; bytesTotal?: bigint }): bigint {
    const job = this.#job(name);
    job.state = JobState.LEASED;
    job.attempt += 1;
    job.fence = this.#next();
    job.progress = progress && Progress.create(progress);
    return job.fence;
  }

  /** Ends a job and hands its outcome out. A success keeps the fence of its lease; any other end draws one. */
  finish(name: string, end: { state: JobState; reason?: string; result?: Buffer; fence?: bigint }): Outcome {
    const job = this.#job(name);
    job.state = end.state;
    job.fence = end.fence ?? (end.state === JobState.SUCCEEDED ? job.fence : this.#next());
    job.reason = end.reason ?? '';
    job.result = end.result ?? Buffer.alloc(0);
    const outcome = Outcome.create({ name, enqueueId: job.enqueueId, contractVersion: job.contractVersion, state: job.state, fence: job.fence, reason: job.reason, result: job.result, attempt: job.attempt });
    this.outcomes.push(outcome);
    return outcome;
  }

  /** As after a restore from before the job was enqueued. */
  forget(name: string): void {
    this.jobs.delete(name);
    this.specs.delete(name);
    this.outcomes = this.outcomes.filter((outcome) => outcome.name !== name);
  }

  #next(): bigint {
    this.#sequence += 1n;
    return this.#sequence;
  }

  #job(name: string): Job {
    const job = this.jobs.get(name);
    if (job === undefined) throw new Error(`${name} was never enqueued`);
    return job;
  }

  #build(): GrpcServer {
    const served = <Q, R>(method: Method, work: (request: Q) => R) => async (request: Q): Promise<R> => {
      this.calls.push({ method, request });
      await this.before(method);
      const answer = work(request);
      const lose = this.#lose.get(method) ?? 0;
      if (lose === 0) return answer;
      this.#lose.set(method, lose - 1);
      throw refuse.unavailable('REPLY_LOST', 'scripted');
    };
    const handlers = {
      enqueueJobs: served('enqueueJobs', (request: EnqueueJobsRequest) => EnqueueJobsResponse.create({ results: request.jobs.map((spec) => this.#enqueue(spec)) })),
      getJob: served('getJob', ({ name }: { name: string }) => ({ job: this.#known(name) })),
      batchGetJobs: served('batchGetJobs', ({ names }: { names: string[] }) => BatchGetJobsResponse.create({ jobs: names.flatMap((name) => this.jobs.get(name) ?? []), missing: names.filter((name) => !this.jobs.has(name)) })),
      listJobs: async () => { throw refuse.unimplemented(); },
      getContractShares: served('getContractShares', ({ kind, writes }: GetContractSharesRequest) => {
        if (this.shares === undefined) throw refuse.unimplemented();
        return GetContractSharesResponse.create({ shares: (this.shares[kind] ?? []).filter(({ contractVersion }) => writes.includes(contractVersion)), refreshAfter: durationOfMs(5_000) });
      }),
      cancelJob: served('cancelJob', ({ name, enqueueId }: { name: string; enqueueId: bigint }) => this.#cancel(name, enqueueId)),
      // eslint-disable-next-line require-yield
      watchJob: async function* () { throw refuse.unimplemented(); },
      pullOutcomes: served('pullOutcomes', ({ kind, contractVersions, maxOutcomes }: { kind: string; contractVersions: number[]; maxOutcomes: number }) =>
        PullOutcomesResponse.create({ outcomes: this.outcomes.filter((outcome) => outcome.name.split('/')[3] === kind && contractVersions.includes(outcome.contractVersion)).slice(0, maxOutcomes) })),
      ackOutcomes: served('ackOutcomes', ({ outcomes }: { outcomes: { name: string; fence: bigint }[] }) => {
        this.outcomes = this.outcomes.filter((kept) => !outcomes.some(({ name, fence }) => name === kept.name && fence === kept.fence));
        return {};
      }),
    };
    return new GrpcServer({
      host: '127.0.0.1', port: 0, registry: new Registry(), logger: createLogger({ service: 'scripted-coordinator', level: 'silent' }),
      services: [service(QueueServiceService, handlers, { domain: 'queue.leasehold' })],
      images: [readImage(import.meta.resolve('@leasehold/queue-v1/image.binpb'))],
    });
  }

  #known(name: string): Job {
    const job = this.jobs.get(name);
    if (job === undefined) throw refuse.notFound('JOB_NOT_FOUND', 'no technical record');
    return job;
  }

  #enqueue(spec: JobSpec): EnqueueResult {
    const there = this.jobs.get(spec.name);
    if (there !== undefined) {
      const verdict = there.contentDigest.equals(spec.contentDigest) ? EnqueueVerdict.EXISTS : EnqueueVerdict.CONFLICT;
      return EnqueueResult.create({ verdict, job: there, message: verdict === EnqueueVerdict.CONFLICT ? 'the id is taken by other content' : '' });
    }
    const verdict = this.verdictFor(spec);
    if (verdict !== undefined) return EnqueueResult.create({ verdict, message: 'scripted refusal' });
    const job = Job.create({ name: spec.name, state: JobState.QUEUED, contractVersion: spec.contractVersion, contentDigest: spec.contentDigest, enqueueId: this.#next(), maxAttempts: 3 });
    this.jobs.set(spec.name, job);
    this.specs.set(spec.name, spec);
    if (this.tombstones.has(spec.name)) this.finish(spec.name, { state: JobState.CANCELLED });
    return EnqueueResult.create({ verdict: EnqueueVerdict.ENQUEUED, job });
  }

  #cancel(name: string, enqueueId: bigint): CancelJobResponse {
    const job = this.jobs.get(name);
    if (job === undefined && enqueueId !== 0n) throw refuse.notFound('JOB_NOT_FOUND', 'that enqueue has no technical record');
    if (job === undefined) {
      this.tombstones.add(name);
      return CancelJobResponse.create({ job: { name, state: JobState.CANCELLED }, cancelled: true });
    }
    if (enqueueId !== 0n && enqueueId !== job.enqueueId) throw refuse.aborted('ENQUEUE_SUPERSEDED', 'another enqueue is under this id');
    if (!final.has(job.state)) this.finish(name, { state: JobState.CANCELLED });
    return CancelJobResponse.create({ job, cancelled: job.state === JobState.CANCELLED });
  }
}
