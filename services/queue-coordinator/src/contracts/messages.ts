import { durationOfMs } from '@leasehold/rpc';
import {
  AuditEvent, BuildRecord, Contract as ContractMessage, ContractState as ContractStateMessage, ContractSummary, Finding, Gate, GateVerdict, JobEvent, Left as LeftMessage, Producer, ReadingBuild,
  Worker, WorkerState as WorkerStateMessage, type ExplainJobResponse,
} from '@leasehold/rollout-v1';
import { jobsLeft, totalLeft, type KindFacts, type Left } from './facts.js';
import type { Certainty, GateAnswer, Verdict } from './gates/answer.js';
import { contractOf, readersOf } from './gates/readers.js';
import type { Explanation } from '../jobs/explain.js';
import type { FleetWorker, WorkerState } from '../workers/fleet.js';
import type { AuditEntry } from './audit-log.js';
import type { BuildRecord as RecordOfBuild } from './build-records.js';
import { contractWord, renderContractName, type Contract, type ContractState } from './contract.js';

const states: Readonly<Record<ContractState, ContractStateMessage>> = {
  announced: ContractStateMessage.ANNOUNCED, open: ContractStateMessage.OPEN, closed: ContractStateMessage.CLOSED, retired: ContractStateMessage.RETIRED,
};
const verdicts: Readonly<Record<Verdict, GateVerdict>> = { pass: GateVerdict.PASS, fail: GateVerdict.FAIL, unknown: GateVerdict.UNKNOWN };
const workerStates: Readonly<Record<WorkerState, WorkerStateMessage>> = {
  active: WorkerStateMessage.ACTIVE, cordoned: WorkerStateMessage.CORDONED, draining: WorkerStateMessage.DRAINING, gone: WorkerStateMessage.GONE,
};

export const contractMessage = (contract: Contract): ContractMessage =>
  ContractMessage.create({
    name: renderContractName(contract),
    state: states[contract.state],
    descriptorDigest: contract.descriptorDigest,
    paused: contract.paused,
    sharePercent: contract.sharePercent,
    etag: String(contract.revision),
    announceTime: contract.announcedAt,
    updateTime: contract.updatedAt,
  });

export const leftMessage = (left: Left): LeftMessage =>
  LeftMessage.create({
    total: BigInt(totalLeft(left)),
    due: BigInt(left.due),
    scheduled: BigInt(left.scheduled),
    retrying: BigInt(left.retrying),
    leased: BigInt(left.leased),
    undispatched: BigInt(left.undispatched),
    outcomes: BigInt(left.outcomes),
    oldestJobAge: jobsLeft(left) === 0 || left.oldestJobMs === undefined ? undefined : durationOfMs(left.oldestJobMs),
    oldestOutcomeAge: left.outcomes === 0 || left.oldestOutcomeMs === undefined ? undefined : durationOfMs(left.oldestOutcomeMs),
  });

export const gateMessage = (answer: GateAnswer, readAt: Date): Gate =>
  Gate.create({
    verdict: verdicts[answer.verdict],
    findings: answer.findings.map((finding) => Finding.create(finding)),
    counted: answer.counted.map(({ what, count }) => ({ what, count: BigInt(count) })),
    nextCommands: [...answer.nextCommands],
    evaluateTime: readAt,
  });

export const summaryMessage = (contract: Contract, facts: KindFacts | undefined, certainty: Certainty): ContractSummary =>
  ContractSummary.create({
    contract: contractMessage(contract),
    left: leftMessage((facts && contractOf(facts, contract.version))?.left ?? nothingLeft),
    readers: facts === undefined ? 0 : readersOf(facts, contract.version, certainty).certain.length,
  });

export const nothingLeft: Left = { due: 0, scheduled: 0, retrying: 0, leased: 0, undispatched: 0, outcomes: 0, oldestJobMs: undefined, oldestOutcomeMs: undefined };

/** Live workers that declare the version, by build. */
export function readingBuilds(facts: KindFacts, version: number, certainty: Certainty): ReadingBuild[] {
  const builds = new Map<string, ReadingBuild>();
  for (const worker of facts.workers.filter(({ reads }) => reads.includes(version))) {
    const build = builds.get(worker.build) ?? ReadingBuild.create({ build: worker.build, suspended: worker.suspended.includes(version) });
    build.workers += 1;
    build.concurrency += worker.concurrency;
    if (worker.silentMs > certainty.uncertainAfterMs) build.uncertainWorkers += 1;
    builds.set(worker.build, build);
  }
  return [...builds.values()];
}

export const producerMessage = (producer: KindFacts['producers'][number]): Producer =>
  Producer.create({ ...producer, writes: [...producer.writes], reads: [...producer.reads], lastSeenTime: new Date(producer.lastSeenMs) });

export const recordMessage = (record: RecordOfBuild): BuildRecord =>
  BuildRecord.create({
    build: record.build,
    attempts: record.succeeded + record.failed_content + record.failed_technical + record.expired,
    succeeded: record.succeeded,
    failedContent: record.failed_content,
    failedTechnical: record.failed_technical,
    expired: record.expired,
  });

export const workerMessage = (worker: FleetWorker): Worker =>
  Worker.create({
    workerId: worker.workerId, build: worker.build, state: workerStates[worker.state], concurrency: worker.concurrency, leases: worker.leases,
    reads: [...worker.reads], suspended: [...worker.suspended], registerTime: worker.registeredAt, lastSeenTime: worker.lastSeenAt,
  });

export const auditMessage = ({ at, actor, action, subject, detail, forced }: AuditEntry): AuditEvent => AuditEvent.create({ time: at, actor, action, subject, detail, forced });

export const explanationMessage = ({ job, events, waitingFor }: Explanation): ExplainJobResponse => ({
  events: events.map(({ at, ...event }) => JobEvent.create({ ...event, time: at })),
  waitingFor: waitingFor.map((obstacle) => Finding.create(obstacle)),
  state: job === undefined ? '' : job.state.toUpperCase(),
  contract: job === undefined ? '' : contractWord({ kind: job.name.kind, version: job.contractVersion }),
  attempt: job?.attempt ?? 0,
  maxAttempts: job?.maxAttempts ?? 0,
});
