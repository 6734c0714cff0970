import {
  EnqueueVerdict, QueueServiceService, type AckOutcomesRequest, type BatchGetJobsRequest, type CancelJobRequest, type CancelJobResponse, type EnqueueJobsRequest, type EnqueueJobsResponse, type EnqueueResult as EnqueueResultMessage,
  type GetJobRequest, type JobSpec as JobSpecMessage, type ListJobsRequest, type ListJobsResponse, type GetContractSharesRequest, type GetContractSharesResponse, type PullOutcomesRequest, type PullOutcomesResponse, type WatchJobResponse,
} from '@leasehold/queue-v1';
import type { Database } from '@leasehold/postgres';
import { durationOfMs, faults, service, type CallContext, type ServiceBinding } from '@leasehold/rpc';
import { fitting } from '../answer-size.js';
import type { Producers } from '../access/producers.js';
import { outcomeNamespaces, queueAccess } from '../access/queue-access.js';
import { noteProducer, silentProducer } from '../contracts/producers.js';
import { findContracts } from '../contracts/registry.js';
import { sharesFor } from '../contracts/shares.js';
import { answering, answeringEach } from '../database-faults.js';
import { pollFloorMs, type Wakeups } from '../dispatch/wakeups.js';
import { acknowledgeOutcomes, pullOutcomes, type Outcome } from '../outcomes/outcomes.js';
import { maxContentBytes, refusing, RequestRules } from '../request-rules.js';
import type { Canceller } from './cancel.js';
import type { Enqueuer, JobSpec } from './enqueue.js';
import { findJobs, listJobs } from './find.js';
import { isFinal, type Job } from './job.js';
import { isKind, jobNameForm, parseJobName, parseParent, renderJobName, type JobName } from './job-name.js';
import { enqueueMessage, jobMessage, outcomeMessage, stateOf } from './messages.js';
import { parsePageToken, renderPageToken } from './page-token.js';

const domain = 'queue.leasehold';
const fault = faults(domain);
const answers = answering(fault);
const refuse = refusing(fault);
const maxBatch = 500;
const maxWaitMs = 30_000;
/** Within this a step of a rollout has reached every producer. */
const sharesRefreshMs = 5_000;
const producerForm = /^[A-Za-z0-9._:@/-]{1,128}$/;
const maxDelayMs = 30 * 86_400_000;
const latest = 9_223_372_036_854_775_807n;

/** What the queue edge stands on. */
export interface QueueParts {
  readonly db: Database;
  readonly enqueuer: Enqueuer;
  readonly canceller: Canceller;
  readonly wakeups: Wakeups;
  readonly producers: Producers;
  /** Monotonic, in ms. */
  readonly now: () => number;
}

/** queue.v1: maps messages to the domain and back; decides nothing itself. */
export function queueService(parts: QueueParts): ServiceBinding {
  return service(
    QueueServiceService,
    {
      enqueueJobs: answers((request: EnqueueJobsRequest) => enqueue(parts, request)),
      getJob: answers(async ({ name }: GetJobRequest) => ({ job: jobMessage(await mustFind(parts, jobName(name, 'name'))) })),
      batchGetJobs: answers(async ({ names }: BatchGetJobsRequest) => {
        refuse((rules) => rules.size(names, 'names', maxBatch));
        const parsed = names.map((name, index) => jobName(name, `names[${index}]`));
        const found = await findJobs(parts.db, parsed);
        return {
          jobs: names.flatMap((name) => [found.get(name)].flatMap((job) => (job === undefined ? [] : [jobMessage(job)]))),
          missing: names.filter((name) => !found.has(name)),
        };
      }),
      listJobs: answers((request: ListJobsRequest) => list(parts, request)),
      cancelJob: answers((request: CancelJobRequest) => cancel(parts, request)),
      watchJob: ({ name }, call) => answeringEach(fault, watch(parts, jobName(name, 'name'), call)),
      pullOutcomes: answers((request: PullOutcomesRequest, call: CallContext) => pull(parts, request, call)),
      ackOutcomes: answers(async ({ outcomes }: AckOutcomesRequest) => {
        refuse((rules) => rules.size(outcomes, 'outcomes', maxBatch));
        await acknowledgeOutcomes(parts.db, outcomes.map((ref, index) => ({ name: jobName(ref.name, `outcomes[${index}].name`), fence: ref.fence })));
        return {};
      }),
      getContractShares: answers((request: GetContractSharesRequest) => contractShares(parts, request)),
    },
    { domain, access: queueAccess(parts.producers) },
  );
}

function jobName(text: string, field: string): JobName {
  const name = parseJobName(text);
  if (name === undefined) throw fault.invalid([{ field, description: `is not of the form ${jobNameForm}` }]);
  return name;
}

async function mustFind(parts: QueueParts, name: JobName): Promise<Job> {
  const rendered = renderJobName(name);
  const job = (await findJobs(parts.db, [name])).get(rendered);
  if (job === undefined) throw fault.notFound('JOB_NOT_FOUND', `${rendered} has no technical record: it was never enqueued, or is finished and pruned; the producer's own resource knows more`, { name: rendered });
  return job;
}

async function enqueue(parts: QueueParts, { jobs }: EnqueueJobsRequest): Promise<EnqueueJobsResponse> {
  refuse((rules) => rules.size(jobs, 'jobs', maxBatch));
  const read = jobs.map(readSpec);
  const results = await parts.enqueuer.enqueue(read.flatMap((r) => ('spec' in r ? [r.spec] : [])));
  const answers = results.values();
  return { results: read.map((r) => ('spec' in r ? enqueueMessage(answers.next().value ?? missingAnswer()) : r.invalid)) };
}

const missingAnswer = (): never => {
  throw new Error('a spec was left without an answer');
};

/** One bad spec is answered by itself: its companions are enqueued. */
function readSpec(message: JobSpecMessage): { readonly spec: JobSpec } | { readonly invalid: EnqueueResultMessage } {
  const rules = new RequestRules();
  const name = parseJobName(message.name);
  rules.check(name !== undefined, 'name', `is not of the form ${jobNameForm}`);
  rules.check(message.contractVersion >= 1, 'contract_version', 'starts at 1');
  rules.check(message.payload.length <= maxContentBytes, 'payload', `has ${message.payload.length} bytes; ${maxContentBytes} are allowed`);
  rules.check(message.contentDigest.length === 32, 'content_digest', `has ${message.contentDigest.length} bytes; a SHA-256 has 32`);
  rules.range(message.priority, 'priority', 0, 9);
  const delayMs = rules.duration(message.delay, 'delay', maxDelayMs);
  if (name === undefined || rules.violations.length > 0) {
    return { invalid: { verdict: EnqueueVerdict.INVALID, job: undefined, message: rules.violations.map((v) => `${v.field} ${v.description}`).join('; ') } };
  }
  return { spec: { name, contractVersion: message.contractVersion, payload: message.payload, contentDigest: message.contentDigest, priority: message.priority, delayMs } };
}

async function list(parts: QueueParts, request: ListJobsRequest): Promise<ListJobsResponse> {
  const parent = parseParent(request.parent);
  const states = request.states.map(stateOf);
  const query = JSON.stringify([request.parent, request.states.toSorted((a, b) => a - b)]);
  const before = request.pageToken === '' ? latest : parsePageToken(request.pageToken, query);
  refuse((rules) => {
    rules.check(parent !== undefined, 'parent', 'is not of the form namespaces/{namespace}/kinds/{kind}, with - for any namespace');
    rules.range(request.pageSize, 'page_size', 0, maxBatch);
    rules.check(before !== undefined, 'page_token', 'is not a token of this list: leave it empty for the first page');
    rules.check(!states.includes(undefined), 'states', 'holds a state that is not known');
  });
  if (parent === undefined || before === undefined) return { jobs: [], nextPageToken: '' };
  const limit = request.pageSize === 0 ? 50 : request.pageSize;
  const found = await listJobs(parts.db, { ...parent, before, states: states.filter((s) => s !== undefined), limit });
  const jobs = fitting(found, (job) => job.result.length);
  const last = jobs.at(-1);
  const complete = found.length < limit && jobs.length === found.length;
  return { jobs: jobs.map(jobMessage), nextPageToken: complete || last === undefined ? '' : renderPageToken(last.enqueueId, query) };
}

async function cancel(parts: QueueParts, request: CancelJobRequest): Promise<CancelJobResponse> {
  const name = jobName(request.name, 'name');
  refuse((rules) => rules.check(request.enqueueId >= 0n, 'enqueue_id', 'is 0 or an enqueue id'));
  const result = await parts.canceller.cancel(name, request.enqueueId);
  switch (result.verdict) {
    case 'ended':
      return { job: jobMessage(result.job), cancelled: result.job.state === 'cancelled' };
    case 'superseded':
      throw fault.aborted('ENQUEUE_SUPERSEDED', `${request.name} is another enqueue by now (${result.job.enqueueId}); the one that was meant is over`, { name: request.name });
    case 'unknown':
      throw fault.notFound('JOB_NOT_FOUND', `${request.name} has no technical record of enqueue ${request.enqueueId}: it is finished and pruned`, { name: request.name });
  }
}

async function* watch(parts: QueueParts, name: JobName, call: CallContext): AsyncIterable<WatchJobResponse> {
  const subscription = parts.wakeups.subscribe('change');
  try {
    let shown = '';
    for (;;) {
      const job = await mustFind(parts, name);
      const key = [job.enqueueId, job.state, job.attempt, job.fence, job.availableAt.getTime(), job.progress.percent, job.progress.stage].join(' ');
      if (key !== shown) yield { job: jobMessage(job) };
      shown = key;
      if (isFinal(job.state) || call.signal.aborted || call.draining.aborted) return;
      await subscription.wait(pollFloorMs, AbortSignal.any([call.signal, call.draining]));
    }
  } finally {
    subscription.close();
  }
}

async function pull(parts: QueueParts, request: PullOutcomesRequest, call: CallContext): Promise<PullOutcomesResponse> {
  let waitMs = 0;
  refuse((rules) => {
    rules.check(isKind(request.kind), 'kind', 'is no kind');
    rules.versions(request.contractVersions, 'contract_versions');
    rules.range(request.maxOutcomes, 'max_outcomes', 1, maxBatch);
    waitMs = rules.duration(request.wait, 'wait', maxWaitMs);
  });
  if (request.producer === '') await noteProducer(parts.db, silentProducer(request.kind, call.identity.id, request.contractVersions));
  const wanted = { kind: request.kind, versions: request.contractVersions, namespaces: outcomeNamespaces(parts.producers, call.identity, request.kind), limit: request.maxOutcomes };
  const untilMs = parts.now() + waitMs;
  const subscription = parts.wakeups.subscribe(`outcome ${request.kind}`);
  try {
    for (;;) {
      call.signal.throwIfAborted();
      const outcomes: readonly Outcome[] = await pullOutcomes(parts.db, wanted);
      const leftMs = untilMs - parts.now();
      if (outcomes.length > 0 || leftMs <= 0 || call.draining.aborted) return { outcomes: outcomes.map(outcomeMessage) };
      await subscription.wait(Math.min(leftMs, pollFloorMs), AbortSignal.any([call.signal, call.draining]));
    }
  } finally {
    subscription.close();
  }
}

async function contractShares(parts: QueueParts, request: GetContractSharesRequest): Promise<GetContractSharesResponse> {
  refuse((rules) => {
    rules.check(isKind(request.kind), 'kind', 'is no kind');
    rules.check(producerForm.test(request.producer), 'producer', 'has 1 to 128 characters A-Z a-z 0-9 . _ : @ / -');
    rules.check(request.build.length >= 1 && request.build.length <= 128, 'build', 'has 1 to 128 characters');
    rules.versions(request.writes, 'writes');
    rules.versions(request.reads, 'reads');
  });
  if (!(await noteProducer(parts.db, request))) throw fault.notFound('KIND_NOT_FOUND', `${request.kind} has no policy: a kind begins with a migration that gives it one`, { kind: request.kind });
  const shares = sharesFor(await findContracts(parts.db, request.kind), request.writes);
  return { shares: shares.map(({ version, percent }) => ({ contractVersion: version, percent })), refreshAfter: durationOfMs(sharesRefreshMs) };
}
