import { RolloutServiceService, type AuditEvent, type ListAuditEventsRequest, type Step as StepMessage, type Worker, type WorkerSelector as SelectorMessage } from '@leasehold/rollout-v1';
import { service, type CallContext, type ServiceBinding } from '@leasehold/rpc';
import { rolloutAccess } from '../access/rollout-access.js';
import { answering, answeringEach } from '../database-faults.js';
import { discardJobs } from '../jobs/discard.js';
import { explainJob } from '../jobs/explain.js';
import { isKind, jobNameForm, parseJobName } from '../jobs/job-name.js';
import { parsePageToken, renderPageToken } from '../jobs/page-token.js';
import { listWorkers, orderWorkers, type FleetOrder } from '../workers/fleet.js';
import { listAudit } from './audit-log.js';
import { contractWord } from './contract.js';
import { watchDrain } from './drain-rpc.js';
import { readFacts } from './facts.js';
import { checkGate, pause, step } from './gate-rpc.js';
import { contractOf } from './gates/readers.js';
import { auditMessage, contractMessage, explanationMessage, leftMessage, nothingLeft, producerMessage, readingBuilds, recordMessage, summaryMessage, workerMessage } from './messages.js';
import { announceContract, findContracts } from './registry.js';
import { actorOf, contractAndFacts, contractName, domain, fault, kindIn, knownContract, minWorkersOf, percentOf, refuse, selectorOf } from './requests.js';
import type { RolloutParts } from './rollout-parts.js';
import type { Step } from './steps.js';

const answers = answering(fault);
const latest = 9_223_372_036_854_775_807n;
const maxDiscard = 1_000;

/** rollout.v1: maps messages to the domain and back; decides nothing itself. */
export function rolloutService(parts: RolloutParts): ServiceBinding {
  const stepping = (verb: Step) => answers(async (request: { readonly name: string; readonly step: StepMessage | undefined }, call: CallContext) => step(parts, request, verb, call));
  return service(
    RolloutServiceService,
    {
      announceContract: answers(async (request, call) => {
        const name = contractName(request.name);
        refuse((rules) => rules.check(request.descriptorDigest.length === 32, 'descriptor_digest', `has ${request.descriptorDigest.length} bytes; a SHA-256 has 32`));
        const result = await announceContract(parts.db, name, request.descriptorDigest, actorOf(request.actor, call));
        if (result.verdict === 'kind_unknown') throw fault.notFound('KIND_NOT_FOUND', `${name.kind} has no policy: a kind begins with a migration that gives it one`, { kind: name.kind });
        if (result.verdict === 'conflict') {
          throw fault.alreadyExists('CONTRACT_EXISTS', `${contractWord(name)} was announced with another digest (${short(result.contract.descriptorDigest)}, not ${short(request.descriptorDigest)}): a version is never redefined, announce the next one`, { name: request.name });
        }
        return { contract: contractMessage(result.contract) };
      }),
      listContracts: answers(async ({ parent }) => {
        const kind = kindIn(parent);
        const contracts = await findContracts(parts.db, kind);
        const facts = await readFacts(parts.db, kind === undefined ? undefined : [kind], parts.producerMemoryMs);
        return { contracts: contracts.map((contract) => summaryMessage(contract, facts.find((f) => f.kind === contract.kind), parts)) };
      }),
      getContract: answers(async ({ name: text }) => {
        const { contract, facts } = await contractAndFacts(parts, contractName(text));
        return {
          contract: contractMessage(contract),
          left: leftMessage(contractOf(facts, contract.version)?.left ?? nothingLeft),
          readers: readingBuilds(facts, contract.version, parts),
          producers: facts.producers.map(producerMessage),
          builds: (await parts.records.read(contract)).map(recordMessage),
        };
      }),
      checkGate: answers((request) => checkGate(parts, request)),
      openContract: answers(async (request, call) => step(parts, request, { verb: 'open', minWorkers: minWorkersOf(request.minWorkers, 'min_workers') }, call)),
      setPreferredContract: answers(async (request, call) => step(parts, request, { verb: 'prefer', percent: percentOf(request.percent, 'percent') }, call)),
      closeContract: stepping({ verb: 'close' }),
      retireContract: stepping({ verb: 'retire' }),
      reopenContract: stepping({ verb: 'reopen' }),
      pauseContract: answers((request, call) => pause(parts, request, true, request.reason, call)),
      resumeContract: answers((request, call) => pause(parts, request, false, '', call)),
      discardJobs: answers(async (request, call) => {
        const contract = contractName(request.name);
        refuse((rules) => {
          rules.check(request.reason.trim() !== '', 'reason', 'is required: it is what the audit log will say');
          rules.range(request.maxJobs, 'max_jobs', 0, maxDiscard);
        });
        await knownContract(parts, contract);
        const maxJobs = request.maxJobs === 0 ? maxDiscard : request.maxJobs;
        const { discarded, remaining } = await discardJobs(parts, { contract, maxJobs, reason: request.reason, actor: actorOf(request.actor, call), validateOnly: request.validateOnly });
        return { discarded: BigInt(discarded), remaining: BigInt(remaining) };
      }),
      watchDrain: ({ name }, call) => answeringEach(fault, watchDrain(parts, contractName(name), call)),
      listWorkers: answers(async ({ kind, build, showGone }) => {
        refuse((rules) => rules.check(kind === '' || isKind(kind), 'kind', 'is no kind'));
        const workers = await listWorkers(parts.db, { kind: kind === '' ? undefined : kind, build: build === '' ? undefined : build, gone: showGone });
        return { workers: workers.map(workerMessage) };
      }),
      cordonWorkers: answers((request, call) => order(parts, 'cordon', request, call)),
      uncordonWorkers: answers((request, call) => order(parts, 'uncordon', request, call)),
      drainWorkers: answers((request, call) => order(parts, 'drain', request, call)),
      explainJob: answers(async ({ name: text }) => {
        const name = parseJobName(text);
        if (name === undefined) throw fault.invalid([{ field: 'name', description: `is not of the form ${jobNameForm}` }]);
        const explanation = await explainJob(parts, name);
        if (explanation === undefined) throw fault.notFound('JOB_NOT_FOUND', `${text} has neither a record nor an event: never enqueued, or pruned; events are kept for a week`, { name: text });
        return explanationMessage(explanation);
      }),
      listAuditEvents: answers((request) => listEvents(parts, request)),
    },
    { domain, access: rolloutAccess },
  );
}

const short = (digest: Buffer): string => (digest.length === 0 ? 'none' : digest.toString('hex').slice(0, 12));

async function order(parts: RolloutParts, verb: FleetOrder, request: { readonly selector: SelectorMessage | undefined; readonly validateOnly: boolean; readonly actor: string; readonly reason: string }, call: CallContext): Promise<{ workers: Worker[] }> {
  const workers = await orderWorkers(parts.db, verb, selectorOf(request.selector), { validateOnly: request.validateOnly, actor: actorOf(request.actor, call), reason: request.reason });
  return { workers: workers.map(workerMessage) };
}

async function listEvents(parts: RolloutParts, request: ListAuditEventsRequest): Promise<{ events: AuditEvent[]; nextPageToken: string }> {
  const query = JSON.stringify(['audit', request.subject]);
  const before = request.pageToken === '' ? latest : parsePageToken(request.pageToken, query);
  refuse((rules) => {
    rules.range(request.pageSize, 'page_size', 0, 500);
    rules.check(before !== undefined, 'page_token', 'is not a token of this list: leave it empty for the first page');
  });
  const limit = request.pageSize === 0 ? 50 : request.pageSize;
  const found = await listAudit(parts.db, { before: before ?? latest, subject: request.subject === '' ? undefined : request.subject, limit });
  const last = found.at(-1);
  return { events: found.map(auditMessage), nextPageToken: found.length < limit || last === undefined ? '' : renderPageToken(last.auditId, query) };
}
