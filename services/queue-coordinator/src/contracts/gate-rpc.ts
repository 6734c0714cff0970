import type { CheckGateRequest, Contract as ContractMessage, Gate as GateMessage, PauseContractRequest, ResumeContractRequest, Step as StepMessage } from '@leasehold/rollout-v1';
import type { CallContext } from '@leasehold/rpc';
import { contractWord, type ContractName } from './contract.js';
import { readFacts } from './facts.js';
import type { GateAnswer } from './gates/answer.js';
import { buildGate } from './gates/build.js';
import { contractMessage, gateMessage } from './messages.js';
import { setPaused } from './pause.js';
import { changedSince, contractAndFacts, contractName, fault, minWorkersOf, optionsOf, percentOf, refuse, unknownContract, word } from './requests.js';
import type { RolloutParts } from './rollout-parts.js';
import { gateOf, takeStep, type Step } from './steps.js';

export async function checkGate(parts: RolloutParts, { gate }: CheckGateRequest): Promise<{ gate: GateMessage }> {
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

export async function step(parts: RolloutParts, request: { readonly name: string; readonly step: StepMessage | undefined }, verb: Step, call: CallContext): Promise<{ contract: ContractMessage; gate: GateMessage }> {
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
      throw changedSince(result.contract);
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

export async function pause(parts: RolloutParts, request: PauseContractRequest | ResumeContractRequest, paused: boolean, reason: string, call: CallContext): Promise<{ contract: ContractMessage }> {
  const name = contractName(request.name);
  refuse((rules) => rules.check(!paused || reason.trim() !== '', 'reason', 'is required: it is what the audit log will say'));
  const { revision, actor, validateOnly } = optionsOf(request.step, call);
  const result = await setPaused(parts, name, paused, { revision, actor, reason, validateOnly });
  if (result.verdict === 'unknown') throw unknownContract(name);
  if (result.verdict === 'changed') throw changedSince(result.contract);
  return { contract: contractMessage(result.contract) };
}
