import type { Database } from '@leasehold/postgres';
import {
  RolloutServiceService, WatchDrainResponse, type CheckGateRequest, type ListAuditEventsRequest, type PauseContractRequest, type ResumeContractRequest, type Step as StepMessage,
  type WorkerSelector as SelectorMessage,
} from '@leasehold/rollout-v1';
import { faults, service, type CallContext, type ServiceBinding } from '@leasehold/rpc';
import type { Logger } from '@leasehold/service';
import { rolloutAccess } from '../access/rollout-access.js';
import { answering, answeringEach } from '../database-faults.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import type { Wakeups } from '../dispatch/wakeups.js';
import type { QueueFigures } from '../figures/counters.js';
import { discardJobs } from '../jobs/discard.js';
import { explainJob } from '../jobs/explain.js';
import { isKind, jobNameForm, parseJobName } from '../jobs/job-name.js';
import { parsePageToken, renderPageToken } from '../jobs/page-token.js';
import { RequestRules } from '../request-rules.js';
import { listWorkers, orderWorkers, type FleetOrder, type FleetWorker, type WorkerSelector } from '../workers/fleet.js';
import { listAudit } from './audit-log.js';
import type { BuildRecords } from './build-records.js';
import { contractWord, parseContractName, parseContractWord, type Contract, type ContractName } from './contract.js';
import { readFacts, totalLeft, type KindFacts } from './facts.js';
import type { GateAnswer } from './gates/answer.js';
import { buildGate } from './gates/build.js';
import {
  auditMessage, contractMessage, explanationMessage, factsOf, gateMessage, leftMessage, nothingLeft, producerMessage, readingBuilds, recordMessage, summaryMessage, workerMessage,
} from './messages.js';
import { setPaused } from './pause.js';
import { announceContract, findContracts } from './registry.js';
import { gateOf, takeStep, type Step, type StepOptions, type StepParts } from './steps.js';

const domain = 'rollout.leasehold';
const fault = faults(domain);
const answers = answering(fault);
const latest = 9_223_372_036_854_775_807n;
const maxDiscard = 1_000;
/** How long a drain watcher sleeps at most, and at least, between two answers. */
const drainEveryMs = 1_000;

/** What the rollout edge stands on. */
export interface RolloutParts extends StepParts {
  readonly db: Database;
  readonly signals: Signals;
  readonly dispatchers: Dispatchers;
  readonly wakeups: Wakeups;
  readonly figures: QueueFigures;
  readonly records: BuildRecords;
  readonly logger: Logger;
}

/** rollout.v1: maps messages to the domain and back; decides nothing itself. */
export function rolloutService(parts: RolloutParts): ServiceBinding {
  const stepping = (verb: (request: { readonly name: string }) => Step) => answers(async (request: { readonly name: string; readonly step: StepMessage | undefined }, call: CallContext) => step(parts, request, verb(request), call));
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
        const [contracts, facts] = [await findContracts(parts.db, kind), await readFacts(parts.db, kind === undefined ? undefined : [kind], parts.producerMemoryMs)];
        return { contracts: contracts.map((contract) => summaryMessage(contract, facts.find((f) => f.kind === contract.kind), parts)) };
      }),
      getContract: answers(async ({ name: text }) => {
        const { contract, facts } = await contractAndFacts(parts, contractName(text));
        return {
          contract: contractMessage(contract),
          left: leftMessage(factsOf(facts, contract.version)?.left ?? nothingLeft),
          readers: readingBuilds(facts, contract.version, parts),
          producers: facts.producers.map(producerMessage),
          builds: (await parts.records.read(contract)).map(recordMessage),
        };
      }),
      checkGate: answers((request) => checkGate(parts, request)),
      openContract: answers(async (request, call) => step(parts, request, { verb: 'open', minWorkers: minWorkersOf(request.minWorkers, 'min_workers') }, call)),
      setPreferredContract: answers(async (request, call) => step(parts, request, { verb: 'prefer', percent: percentOf(request.percent, 'percent') }, call)),
      closeContract: stepping(() => ({ verb: 'close' })),
      retireContract: stepping(() => ({ verb: 'retire' })),
      reopenContract: stepping(() => ({ verb: 'reopen' })),
      pauseContract: answers((request, call) => pause(parts, request, true, request.reason, call)),
      resumeContract: answers((request, call) => pause(parts, request, false, '', call)),
      discardJobs: answers(async (request, call) => {
        const contract = contractName(request.name);
        refuse((rules) => {
          rules.check(request.reason.trim() !== '', 'reason', 'is required: it is what the audit log will say');
          rules.range(request.maxJobs, 'max_jobs', 0, maxDiscard);
        });
        await contractAndFacts(parts, contract);
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

function refuse(state: (rules: RequestRules) => void): void {
  const rules = new RequestRules();
  state(rules);
  if (rules.violations.length > 0) throw fault.invalid(rules.violations);
}

const short = (digest: Buffer): string => (digest.length === 0 ? 'none' : digest.toString('hex').slice(0, 12));

function contractName(text: string, field = 'name'): ContractName {
  const name = parseContractName(text);
  if (name === undefined) throw fault.invalid([{ field, description: 'is not of the form kinds/{kind}/contracts/{version}' }]);
  return name;
}

function word(text: string, field: string): ContractName {
  const name = parseContractWord(text);
  if (name === undefined) throw fault.invalid([{ field, description: `is ${JSON.stringify(text)}, not of the form kind@version` }]);
  return name;
}

/** Undefined for `kinds/-`. */
function kindIn(parent: string): string | undefined {
  const [, kind] = /^kinds\/([a-z][a-z0-9-]{0,62}|-)$/.exec(parent) ?? [];
  if (kind === undefined) throw fault.invalid([{ field: 'parent', description: 'is not of the form kinds/{kind}, with - for any' }]);
  return kind === '-' ? undefined : kind;
}

/** Whoever has a certificate is named by it; others by what they say. */
const actorOf = (said: string, call: CallContext): string => (call.identity.role === 'local' ? said.trim().slice(0, 200) || 'local' : call.identity.id);

function percentOf(percent: number, field: string): number {
  refuse((rules) => rules.range(percent, field, 0, 100));
  return percent;
}

function minWorkersOf(minWorkers: number, field: string): number {
  refuse((rules) => rules.range(minWorkers, field, 0, 100_000));
  return Math.max(minWorkers, 1);
}

const unknownContract = (name: ContractName): Error =>
  fault.notFound('CONTRACT_NOT_FOUND', `${contractWord(name)} is not known: announce it first`, { contract: contractWord(name) });

async function contractAndFacts(parts: RolloutParts, name: ContractName): Promise<{ contract: Contract; facts: KindFacts }> {
  const contract = (await findContracts(parts.db, name.kind)).find(({ version }) => version === name.version);
  const [facts] = await readFacts(parts.db, [name.kind], parts.producerMemoryMs);
  if (contract === undefined || facts === undefined) throw unknownContract(name);
  return { contract, facts };
}

async function checkGate(parts: RolloutParts, { gate }: CheckGateRequest): Promise<{ gate: ReturnType<typeof gateMessage> }> {
  if (gate === undefined) throw fault.invalid([{ field: 'gate', description: 'is required: open, prefer, close, retire or build' }]);
  if (gate.$case === 'build') {
    const { candidate, replaces } = gate.value;
    if (candidate === undefined || candidate.build === '') throw fault.invalid([{ field: 'build.candidate.build', description: 'is required' }]);
    const facts = await readFacts(parts.db, undefined, parts.producerMemoryMs);
    const reads = candidate.reads.map((read, index) => word(read, `build.candidate.reads[${index}]`));
    return { gate: gateMessage(buildGate(facts, { build: candidate.build, reads }, replaces, parts), facts[0]?.readAt ?? new Date()) };
  }
  const name = contractName(gate.value.name, `${gate.$case}.name`);
  const { facts } = await contractAndFacts(parts, name);
  const step: Step = gate.$case === 'open' ? { verb: 'open', minWorkers: minWorkersOf(gate.value.minWorkers, 'open.min_workers') }
    : gate.$case === 'prefer' ? { verb: 'prefer', percent: percentOf(gate.value.percent, 'prefer.percent') }
    : { verb: gate.$case };
  return { gate: gateMessage(gateOf(step, facts, name.version, parts), facts.readAt) };
}

function optionsOf(message: StepMessage | undefined, call: CallContext): StepOptions {
  const etag = message?.etag ?? '';
  refuse((rules) => rules.check(/^\d{0,18}$/.test(etag), 'step.etag', 'is no etag of a contract'));
  return { revision: etag === '' ? undefined : BigInt(etag), validateOnly: message?.validateOnly ?? false, forceReason: message?.forceReason.trim() ?? '', actor: actorOf(message?.actor ?? '', call) };
}

async function step(parts: RolloutParts, request: { readonly name: string; readonly step: StepMessage | undefined }, verb: Step, call: CallContext): Promise<{ contract: ReturnType<typeof contractMessage>; gate: ReturnType<typeof gateMessage> }> {
  const name = contractName(request.name);
  const result = await takeStep(parts, name, verb, optionsOf(request.step, call));
  switch (result.verdict) {
    case 'done':
    case 'already':
      return { contract: contractMessage(result.contract), gate: gateMessage(result.gate, result.readAt) };
    case 'refused':
      throw refused(name, verb, result.gate);
    case 'wrong_state':
      throw fault.failedPrecondition('CONTRACT_STATE', `${contractWord(name)} is ${result.contract.state}: ${verb.verb} does not start from there`, {
        violations: [{ type: 'CONTRACT_STATE', subject: contractWord(name), description: `is ${result.contract.state}` }],
      });
    case 'changed':
      throw fault.aborted('ETAG_MISMATCH', `${contractWord(name)} has changed since: look at it again`, { contract: contractWord(name), etag: String(result.contract.revision) });
    case 'unknown':
      throw unknownContract(name);
  }
}

function refused(name: ContractName, verb: Step, gate: GateAnswer): Error {
  const [first] = gate.findings;
  const more = gate.findings.length > 1 ? ` (and ${gate.findings.length - 1} more)` : '';
  return fault.failedPrecondition(gate.verdict === 'fail' ? 'GATE_FAILED' : 'GATE_UNKNOWN', `${verb.verb} ${contractWord(name)}: ${first?.subject ?? ''}: ${first?.description ?? ''}${more}`, {
    violations: gate.findings.map(({ code, subject, description }) => ({ type: code, subject, description })),
    meta: Object.fromEntries(gate.nextCommands.slice(0, 10).map((command, index) => [`next_command_${index + 1}`, command])),
  });
}

async function pause(parts: RolloutParts, request: PauseContractRequest | ResumeContractRequest, paused: boolean, reason: string, call: CallContext): Promise<{ contract: ReturnType<typeof contractMessage> }> {
  const name = contractName(request.name);
  refuse((rules) => rules.check(!paused || reason.trim() !== '', 'reason', 'is required: it is what the audit log will say'));
  const { revision, actor, validateOnly } = optionsOf(request.step, call);
  const result = await setPaused(parts, name, paused, { revision, actor, reason, validateOnly });
  if (result.verdict === 'unknown') throw unknownContract(name);
  if (result.verdict === 'changed') throw fault.aborted('ETAG_MISMATCH', `${contractWord(name)} has changed since: look at it again`, { contract: contractWord(name), etag: String(result.contract.revision) });
  return { contract: contractMessage(result.contract) };
}

async function order(parts: RolloutParts, verb: FleetOrder, request: { readonly selector: SelectorMessage | undefined; readonly validateOnly: boolean; readonly actor: string; readonly reason: string }, call: CallContext): Promise<{ workers: ReturnType<typeof workerMessage>[] }> {
  const workers: FleetWorker[] = await orderWorkers(parts.db, verb, selectorOf(request.selector), { validateOnly: request.validateOnly, actor: actorOf(request.actor, call), reason: request.reason });
  return { workers: workers.map(workerMessage) };
}

function selectorOf(message: SelectorMessage | undefined): WorkerSelector {
  const { workerId = '', build = '', contract = '', withoutContract = '' } = message ?? {};
  refuse((rules) => rules.check(workerId + build + contract + withoutContract !== '', 'selector', 'is required: a worker, a build or a contract; all workers at once are never meant'));
  return {
    workerId: workerId === '' ? undefined : workerId,
    build: build === '' ? undefined : build,
    contract: contract === '' ? undefined : word(contract, 'selector.contract'),
    withoutContract: withoutContract === '' ? undefined : word(withoutContract, 'selector.without_contract'),
  };
}

async function* watchDrain(parts: RolloutParts, name: ContractName, call: CallContext): AsyncIterable<WatchDrainResponse> {
  const signal = AbortSignal.any([call.signal, call.draining]);
  const subscription = parts.wakeups.subscribe('change');
  try {
    let shown = '';
    for (;;) {
      const { facts } = await contractAndFacts(parts, name);
      const contract = factsOf(facts, name.version);
      const left = contract?.left ?? nothingLeft;
      const key = JSON.stringify({ ...left, oldestJobMs: 0, oldestOutcomeMs: 0 });
      if (key !== shown) yield WatchDrainResponse.create({ left: leftMessage(left), witnesses: [...(contract?.jobs ?? []), ...(contract?.outcomes ?? [])].slice(0, 10) });
      shown = key;
      if (totalLeft(left) === 0 || signal.aborted) return;
      // Counting a long queue is not free: once a second at most, however much changes.
      await subscription.wait(drainEveryMs, signal);
    }
  } finally {
    subscription.close();
  }
}

async function listEvents(parts: RolloutParts, request: ListAuditEventsRequest): Promise<{ events: ReturnType<typeof auditMessage>[]; nextPageToken: string }> {
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
