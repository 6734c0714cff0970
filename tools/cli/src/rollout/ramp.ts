import type { Contract, SetPreferredContractResponse } from '@leasehold/rollout-v1';
import { Fault } from '@leasehold/rpc';
import { systemClock } from '@leasehold/service';
import type { ContractWord } from '../contract-word.js';
import { contractData, contractSentence } from '../contracts/contract.js';
import type { Session } from '../session.js';
import { Refusal, Unreachable } from '../terminal.js';
import { until, type Patience } from '../waiting.js';
import type { StepFlags } from './step.js';

export interface RampFlags extends Pick<StepFlags, 'etag' | 'validateOnly'> {
  readonly percent: readonly number[];
  readonly hold: number;
  readonly timeout: number;
  readonly interval: number;
}

/**
 * Prefers the version at one percentage after the other. Each step names the etag that the one before left, so that whoever pauses the version, or takes another step,
 * ends the ramp: it must not go on over somebody's head.
 * @throws Refusal when it was interrupted; the gate's Fault when it did not pass in time
 */
export async function ramp(session: Session, { name, word }: ContractWord, flags: RampFlags): Promise<void> {
  const signal = session.interrupted();
  const { contract: found } = await session.services.coordinator(({ rollout }) => rollout.getContract({ name }));
  if (found === undefined) throw new Error('a coordinator answered without a contract');
  const todo = remaining(flags.percent, found.sharePercent);
  const skipped = flags.percent.filter((percent) => !todo.includes(percent));
  if (skipped.length > 0) session.tell(`${word} is given ${found.sharePercent} % already: ${skipped.map((percent) => `${percent} %`).join(', ')} is skipped`);
  let now: Contract = found;
  let etag = flags.etag ?? found.etag;
  for (const [index, percent] of todo.entries()) {
    if (index > 0 && flags.validateOnly !== true) await holdOn(session, flags.hold, signal);
    if (signal.aborted) throw new Refusal(`interrupted: ${word} stays at ${now.sharePercent} %`, { next: rest(word, todo.slice(index)) });
    const patience = { timeoutMs: flags.validateOnly === true ? 0 : flags.timeout, everyMs: flags.interval, signal };
    const { contract } = await prefer(session, patience, { name, word, percent, etag, validateOnly: flags.validateOnly === true });
    if (contract === undefined) throw new Error('a coordinator answered without a contract');
    now = contract;
    // What is only validated leaves no new etag behind.
    if (flags.validateOnly !== true) etag = contract.etag;
    session.printOne({ ...contractData(contract), validateOnly: flags.validateOnly === true }, () => `${flags.validateOnly === true ? 'would pass: ' : ''}${contractSentence(contract, session)}`);
  }
  if (todo.length === 0) session.printOne(contractData(found), () => contractSentence(found, session));
}

/** Those that lie ahead in the ramp's own direction; a single percentage is its own goal. */
export function remaining(percents: readonly number[], now: number): readonly number[] {
  const [first = 0, second = first] = percents;
  if (percents.length === 1) return percents;
  return percents.filter((percent) => (second > first ? percent > now : percent < now));
}

const rest = (word: string, percents: readonly number[]): string[] => [`leasehold rollout ramp ${word} --percent ${percents.join(',')}`];

async function holdOn(session: Session, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return;
  session.tell(`${session.ink.dim('holding')}  for ${ms / 1_000} s`);
  await systemClock.wait(ms, signal).catch(() => undefined);
}

interface Preference {
  readonly name: string;
  readonly word: string;
  readonly percent: number;
  readonly etag: string;
  readonly validateOnly: boolean;
}

/** Takes the step as soon as its gate lets it. To ask the gate first would leave a moment between. */
async function prefer(session: Session, patience: Patience, { name, word, percent, etag, validateOnly }: Preference): Promise<SetPreferredContractResponse> {
  const step = { etag, validateOnly, forceReason: '', actor: session.actor };
  let before = '';
  const answer = await until<SetPreferredContractResponse | Fault>(
    patience,
    () => session.services.coordinator(({ rollout }) => rollout.setPreferredContract({ name, percent, step })).catch((error: unknown) => {
      if (error instanceof Fault && (error.reason === 'GATE_FAILED' || error.reason === 'GATE_UNKNOWN')) return error;
      throw error;
    }),
    (taken) => !(taken instanceof Fault),
    (refused) => {
      const line = refused instanceof Unreachable || refused instanceof Fault ? refused.message : '';
      if (line !== before) session.tell(`${session.ink.dim('waiting')}  prefer ${word} at ${percent} %: ${line}`);
      before = line;
    },
  );
  if (answer instanceof Fault) throw answer;
  return answer;
}
