import type { Share } from '@leasehold/contract-shares';
import { sql, type Database, type Transaction } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Signals } from '../dispatch/signals.js';
import { contractWord, type Contract, type ContractName, type ContractState } from './contract.js';
import { readFacts, type KindFacts } from './facts.js';
import type { Certainty, GateAnswer } from './gates/answer.js';
import { closeGate } from './gates/close.js';
import { openGate } from './gates/open.js';
import { preferGate, remainderOf } from './gates/prefer.js';
import { retireGate } from './gates/retire.js';
import { audit, findContracts } from './registry.js';
import { sharesAmong, sharesWith } from './shares.js';

const lockKindSql = sql(import.meta.url, 'lock-kind');
const lockContractSql = sql(import.meta.url, 'lock-contract');
const setContractSql = sql(import.meta.url, 'set-contract');

/** A step of a rollout. */
export type Step =
  | { readonly verb: 'open'; readonly minWorkers: number }
  | { readonly verb: 'reopen' }
  | { readonly verb: 'prefer'; readonly percent: number }
  | { readonly verb: 'close' }
  | { readonly verb: 'retire' };

export interface StepOptions {
  /** Undefined: whichever revision. */
  readonly revision: bigint | undefined;
  readonly validateOnly: boolean;
  /** Not empty: the step is taken although its gate refuses. */
  readonly forceReason: string;
  readonly actor: string;
}

export type StepResult =
  | { readonly verdict: 'done' | 'already'; readonly contract: Contract; readonly gate: GateAnswer; readonly readAt: Date }
  | { readonly verdict: 'refused'; readonly contract: Contract; readonly gate: GateAnswer; readonly readAt: Date }
  | { readonly verdict: 'wrong_state' | 'changed'; readonly contract: Contract }
  | { readonly verdict: 'unknown' };

/** From which states a step starts, where it ends, and what it is called in the audit log. */
const moves: Readonly<Record<Step['verb'], { readonly from: ContractState; readonly to: ContractState; readonly action: string }>> = {
  open: { from: 'announced', to: 'open', action: 'contract_opened' },
  reopen: { from: 'closed', to: 'open', action: 'contract_reopened' },
  prefer: { from: 'open', to: 'open', action: 'contract_preferred' },
  close: { from: 'open', to: 'closed', action: 'contract_closed' },
  retire: { from: 'closed', to: 'retired', action: 'contract_retired' },
};

/** What the steps stand on. */
export interface StepParts extends Certainty {
  readonly db: Database;
  readonly signals: Signals;
  readonly logger: Logger;
  readonly producerMemoryMs: number;
}

/** Asks a step's gate on the facts as they are. */
export function gateOf(step: Step, facts: KindFacts, version: number, certainty: Certainty): GateAnswer {
  switch (step.verb) {
    case 'open':
      return openGate(facts, version, { ...certainty, minWorkers: step.minWorkers });
    case 'reopen':
      return openGate(facts, version, { ...certainty, minWorkers: 1 });
    case 'prefer':
      return preferGate(facts, version, step.percent, certainty);
    case 'close':
      return closeGate(facts, version, certainty);
    case 'retire':
      return retireGate(facts, version);
  }
}

/**
 * Takes a step of a kind's rollout, or refuses it. Steps of a kind are taken one at a time, so that what one gate saw no other step has changed. Once `close` answers, no
 * job of the version can appear: the step waits for every enqueueing that is under way, and later ones read the new state.
 */
export async function takeStep(parts: StepParts, name: ContractName, step: Step, o: StepOptions): Promise<StepResult> {
  const result = await parts.db.transaction(async (tx): Promise<StepResult> => {
    await tx.query(lockKindSql, [name.kind]);
    const [facts] = await readFacts(tx, [name.kind], parts.producerMemoryMs);
    const contracts = await findContracts(tx, name.kind);
    const contract = contracts.find(({ version }) => version === name.version);
    if (facts === undefined || contract === undefined) return { verdict: 'unknown' };
    const gate = gateOf(step, facts, name.version, parts);
    const { from, to } = moves[step.verb];
    if (isDone(step, contract)) return { verdict: 'already', contract, gate, readAt: facts.readAt };
    if (contract.state !== from) return { verdict: 'wrong_state', contract };
    if (o.revision !== undefined && o.revision !== contract.revision) return { verdict: 'changed', contract };
    const forced = gate.verdict !== 'pass' && o.forceReason !== '';
    if (gate.verdict !== 'pass' && !forced) return { verdict: 'refused', contract, gate, readAt: facts.readAt };
    const planned = plan(contracts, contract, step, to);
    const changed = planned.find(({ version }) => version === name.version) ?? contract;
    if (o.validateOnly) return { verdict: 'done', contract: changed, gate, readAt: facts.readAt };
    await write(tx, name.kind, planned, contracts);
    await audit(tx, { actor: o.actor, action: moves[step.verb].action, subjects: [contractWord(name)], detail: detailOf(step, planned, gate, o.forceReason), forced });
    const after = (await findContracts(tx, name.kind)).find(({ version }) => version === name.version);
    return { verdict: 'done', contract: after ?? changed, gate, readAt: facts.readAt };
  });
  if (result.verdict === 'done' && !o.validateOnly) {
    const { kind, version } = name;
    parts.logger.info({ event: moves[step.verb].action, kind, version, actor: o.actor, gate: result.gate.verdict, forced: result.gate.verdict !== 'pass' }, 'a step of a rollout was taken');
    parts.signals.send('change', `due ${kind}`);
  }
  return result;
}

const isDone = (step: Step, contract: Contract): boolean =>
  step.verb === 'prefer' ? contract.state === 'open' && contract.sharePercent === step.percent : contract.state === moves[step.verb].to;

/** The contracts of the kind that change, as they will be. Of the OPEN ones the shares always add up to 100. */
function plan(contracts: readonly Contract[], contract: Contract, step: Step, to: ContractState): Contract[] {
  const moved = contracts.map((each) => (each === contract ? { ...each, state: to, sharePercent: to === 'open' ? each.sharePercent : 0 } : each));
  const open = moved.filter(({ state }) => state === 'open');
  const shares: Share[] = step.verb === 'prefer'
    ? sharesWith(open.map(({ version }) => version), contract.version, step.percent, remainderOf(contracts, contract.version))
    : sharesAmong(open.map(({ version, sharePercent }) => ({ version, percent: sharePercent })));
  const percentOf = new Map(shares.map(({ version, percent }) => [version, percent]));
  return moved
    .map((each) => ({ ...each, sharePercent: percentOf.get(each.version) ?? each.sharePercent }))
    .filter((each) => {
      const before = contracts.find(({ version }) => version === each.version);
      return before?.state !== each.state || before.sharePercent !== each.sharePercent;
    });
}

async function write(tx: Transaction, kind: string, planned: readonly Contract[], before: readonly Contract[]): Promise<void> {
  // Only a state that changes concerns who is enqueueing.
  for (const { version, state } of planned) {
    if (before.find((each) => each.version === version)?.state !== state) await tx.query(lockContractSql, [kind, version]);
  }
  const rows = await tx.query(setContractSql, [kind, planned.map((c) => c.version), planned.map((c) => c.state), planned.map((c) => c.sharePercent), planned.map((c) => c.paused), planned.map((c) => c.revision)]);
  if (rows.length !== planned.length) throw new Error(`a contract of ${kind} changed while a step was taken under its lock`);
}

function detailOf(step: Step, planned: readonly Contract[], gate: GateAnswer, forceReason: string): string {
  const shares = planned.filter(({ state }) => state === 'open').map((c) => `${contractWord(c)} ${c.sharePercent} %`).join(', ');
  const refused = gate.verdict === 'pass' ? '' : `; forced against ${gate.verdict} (${gate.findings.map(({ code, subject }) => `${code} ${subject}`).join(', ')}): ${forceReason}`;
  return `${step.verb}${step.verb === 'prefer' ? ` ${step.percent} %` : ''}${shares === '' ? '' : `; new jobs: ${shares}`}${refused}`;
}
