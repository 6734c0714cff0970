import { ContractState, WorkerState, type Contract, type Gate, type Worker } from '@leasehold/rollout-v1';
import { Fault, status } from '@leasehold/rpc';
import type { ContractWord } from '../contract-word.js';
import { askGate, gateData, gateLine, paintVerdict, passes, type Question } from '../gates/gate.js';
import { table } from '../print/table.js';
import { counted } from '../print/words.js';
import type { Session } from '../session.js';
import { Refusal } from '../terminal.js';

/** A step that remains, and the gate that guards it. */
export interface PlannedStep {
  readonly step: string;
  readonly command: string;
  /** Undefined: none guards it, or it cannot be asked yet. */
  readonly gate: Question['gate'] | undefined;
}

const ramped = [10, 50, 100];

/** What remains from one version to another. The way back is the same question with the versions exchanged. @throws Refusal for a goal that is retired */
export function remainingSteps(from: ContractWord, to: ContractWord, state: { readonly from: Contract; readonly to: Contract | undefined; readonly workers: readonly Worker[] }): PlannedStep[] {
  if (state.to?.state === ContractState.RETIRED) throw new Refusal(`${to.word} is retired, and a version is never used again: announce the next one`, { next: [`leasehold contracts list ${to.kind}`] });
  const steps: PlannedStep[] = [];
  const add = (step: string, command: string, gate?: Question['gate']): void => void steps.push({ step, command: `leasehold ${command}`, gate: state.to === undefined ? undefined : gate });
  if (state.to === undefined) add(`announce ${to.word}`, `contracts announce ${to.word} --descriptors FILE`);
  if (state.to === undefined || state.to.state === ContractState.ANNOUNCED) add(`open ${to.word}`, `rollout open ${to.word}`, { $case: 'open', value: { name: to.name, minWorkers: 1 } });
  if (state.to?.state === ContractState.CLOSED) add(`reopen ${to.word}`, `rollout reopen ${to.word}`, { $case: 'open', value: { name: to.name, minWorkers: 1 } });
  if (state.to?.paused === true) add(`resume ${to.word}`, `rollout resume ${to.word}`);
  const share = state.to?.sharePercent ?? 0;
  for (const percent of ramped.filter((p) => p > share)) {
    add(`prefer ${to.word} at ${percent} %`, `rollout prefer ${to.word} --percent ${percent}`, { $case: 'prefer', value: { name: to.name, percent } });
  }
  const old = state.workers.filter((worker) => worker.state === WorkerState.ACTIVE && !worker.reads.includes(to.word));
  if (old.length > 0) add(`drain ${counted(old.length, 'worker')} without ${to.word}`, `workers drain --without-contract ${to.word}`);
  if (state.from.state === ContractState.OPEN) add(`close ${from.word}`, `rollout close ${from.word}`, { $case: 'close', value: { name: from.name } });
  if (state.from.state === ContractState.OPEN || state.from.state === ContractState.CLOSED) add(`retire ${from.word}`, `rollout retire ${from.word}`, { $case: 'retire', value: { name: from.name } });
  return steps;
}

/** Asks every gate as things are now, and shows what to do first. */
export async function printPlan(session: Session, from: ContractWord, to: ContractWord): Promise<void> {
  const { contract } = await session.services.coordinator(({ rollout }) => rollout.getContract({ name: from.name }));
  if (contract === undefined) throw new Error('a coordinator answered without a contract');
  const goal = await session.services.coordinator(({ rollout }) => rollout.getContract({ name: to.name })).catch((error: unknown) => {
    if (error instanceof Fault && error.code === status.NOT_FOUND) return undefined;
    throw error;
  });
  const { workers } = await session.services.coordinator(({ rollout }) => rollout.listWorkers({ kind: to.kind, build: '', showGone: false }));
  const asked: (PlannedStep & { readonly answer: Gate | undefined })[] = [];
  for (const step of remainingSteps(from, to, { from: contract, to: goal?.contract, workers })) {
    asked.push({ ...step, answer: step.gate && await askGate(session, { gate: step.gate, title: step.step }) });
  }
  const data = { from: from.word, to: to.word, done: asked.length === 0, steps: asked.map(({ step, command, answer }) => ({ step, command, gate: answer && gateData(answer) })) };
  session.print(data, () => (asked.length === 0 ? `nothing remains: ${to.word} has taken the place of ${from.word}` : plan(asked, session)));
}

function plan(steps: readonly (PlannedStep & { readonly answer: Gate | undefined })[], session: Session): string {
  const rows = steps.map(({ step, answer }, index) => [String(index + 1), step, answer === undefined ? '-' : paintVerdict(answer, session), answer === undefined || passes(answer) ? '' : gateLine(answer).replace(/^[A-Z]+: /, '')]);
  const [first] = steps;
  const next = first?.answer === undefined || passes(first.answer) ? [first?.command ?? ''] : first.answer.nextCommands;
  return `${table(['', 'step', 'gate now', ''], rows)}\n${session.next(next)}`;
}
