import type { Contract, Gate, Step } from '@leasehold/rollout-v1';
import type { Command } from 'commander';
import { contractData, contractSentence } from '../contracts/contract.js';
import { gateData, gateText, passes } from '../gates/gate.js';
import { findingLines } from '../gates/findings.js';
import type { Session } from '../session.js';
import { Usage } from '../terminal.js';

/** How a step is to be taken, as typed. */
export interface StepFlags {
  readonly etag?: string;
  readonly validateOnly?: boolean;
  readonly force?: boolean;
  readonly reason?: string;
}

export const withEtag = (command: Command): Command => command
  .option('--etag <etag>', 'only if the contract has not changed since; see contracts describe')
  .option('--validate-only', 'say what would happen, and change nothing');

export const withForce = (command: Command): Command => command
  .option('--force', 'although the gate refuses; audited, and needs --reason')
  .option('--reason <text>', 'why it is forced');

/** @throws Usage for force without a reason, or a reason that would be written down nowhere */
export function stepOf(flags: StepFlags, session: Session): Step {
  const reason = flags.reason?.trim() ?? '';
  if (flags.force === true && reason === '') throw new Usage('--force needs --reason: it is what the audit log will say');
  if (flags.force !== true && reason !== '') throw new Usage('--reason belongs to --force: a step that its gate lets pass needs none');
  return { etag: flags.etag ?? '', validateOnly: flags.validateOnly === true, forceReason: reason, actor: session.actor };
}

/** Says what a step came to. */
export function printStep(session: Session, title: string, { contract, gate }: { readonly contract: Contract | undefined; readonly gate: Gate | undefined }, flags: StepFlags): void {
  if (contract === undefined || gate === undefined) throw new Error('a coordinator answered without a contract or its gate');
  session.print({ ...contractData(contract), validateOnly: flags.validateOnly === true, gate: gateData(gate) }, () => [
    flags.validateOnly === true ? `${session.ink.yellow('nothing was changed')}: this is how it would be` : '',
    contractSentence(contract, session),
    passes(gate) ? `gate: ${gateText(title, { ...gate, nextCommands: [] }, session)}` : `${session.ink.yellow('its gate does not pass any more or was overruled:')}\n${findingLines(gate.findings, session)}`,
  ].filter((part) => part !== '').join('\n'));
}
