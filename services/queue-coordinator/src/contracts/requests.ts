import { type Step as StepMessage, type WorkerSelector as SelectorMessage } from '@leasehold/rollout-v1';
import { faults, type CallContext } from '@leasehold/rpc';
import { refusing } from '../request-rules.js';
import type { WorkerSelector } from '../workers/fleet.js';
import { contractWord, parseContractName, parseContractWord, type Contract, type ContractName } from './contract.js';
import { readFacts, type KindFacts } from './facts.js';
import { findContracts } from './registry.js';
import type { RolloutParts } from './rollout-parts.js';
import type { StepOptions } from './steps.js';

export const domain = 'rollout.leasehold';
export const fault = faults(domain);

export const refuse = refusing(fault);

export function contractName(text: string, field = 'name'): ContractName {
  const name = parseContractName(text);
  if (name === undefined) throw fault.invalid([{ field, description: 'is not of the form kinds/{kind}/contracts/{version}' }]);
  return name;
}

export function word(text: string, field: string): ContractName {
  const name = parseContractWord(text);
  if (name === undefined) throw fault.invalid([{ field, description: `is ${JSON.stringify(text)}, not of the form kind@version` }]);
  return name;
}

/** Undefined for `kinds/-`. */
export function kindIn(parent: string): string | undefined {
  const [, kind] = /^kinds\/([a-z][a-z0-9-]{0,62}|-)$/.exec(parent) ?? [];
  if (kind === undefined) throw fault.invalid([{ field: 'parent', description: 'is not of the form kinds/{kind}, with - for any' }]);
  return kind === '-' ? undefined : kind;
}

/** Whoever has a certificate is named by it; others by what they say. */
export const actorOf = (said: string, call: CallContext): string => (call.identity.role === 'local' ? said.trim().slice(0, 200) || 'local' : call.identity.id);

export function percentOf(percent: number, field: string): number {
  refuse((rules) => rules.range(percent, field, 0, 100));
  return percent;
}

export function minWorkersOf(minWorkers: number, field: string): number {
  refuse((rules) => rules.range(minWorkers, field, 0, 100_000));
  return Math.max(minWorkers, 1);
}

export const unknownContract = (name: ContractName): Error =>
  fault.notFound('CONTRACT_NOT_FOUND', `${contractWord(name)} is not known: announce it first`, { contract: contractWord(name) });

/** Somebody was faster than the one who asks. */
export const changedSince = (contract: Contract): Error =>
  fault.aborted('ETAG_MISMATCH', `${contractWord(contract)} has changed since: look at it again`, { contract: contractWord(contract), etag: String(contract.revision) });

/** @throws Fault CONTRACT_NOT_FOUND */
export async function knownContract(parts: RolloutParts, name: ContractName): Promise<Contract> {
  const contract = (await findContracts(parts.db, name.kind)).find(({ version }) => version === name.version);
  if (contract === undefined) throw unknownContract(name);
  return contract;
}

/** The contract, and all that gates know of its kind: counts what is queued. @throws Fault CONTRACT_NOT_FOUND */
export async function contractAndFacts(parts: RolloutParts, name: ContractName): Promise<{ contract: Contract; facts: KindFacts }> {
  const contract = await knownContract(parts, name);
  const [facts] = await readFacts(parts.db, [name.kind], parts.producerMemoryMs);
  if (facts === undefined) throw unknownContract(name);
  return { contract, facts };
}

export function optionsOf(message: StepMessage | undefined, call: CallContext): StepOptions {
  const etag = message?.etag ?? '';
  refuse((rules) => rules.check(/^\d{0,18}$/.test(etag), 'step.etag', 'is no etag of a contract'));
  return { revision: etag === '' ? undefined : BigInt(etag), validateOnly: message?.validateOnly ?? false, forceReason: message?.forceReason.trim() ?? '', actor: actorOf(message?.actor ?? '', call) };
}

export function selectorOf(message: SelectorMessage | undefined): WorkerSelector {
  const { workerId = '', build = '', contract = '', withoutContract = '' } = message ?? {};
  refuse((rules) => rules.check(workerId + build + contract + withoutContract !== '', 'selector', 'is required: a worker, a build or a contract; all workers at once are never meant'));
  return {
    workerId: workerId === '' ? undefined : workerId,
    build: build === '' ? undefined : build,
    contract: contract === '' ? undefined : word(contract, 'selector.contract'),
    withoutContract: withoutContract === '' ? undefined : word(withoutContract, 'selector.without_contract'),
  };
}
