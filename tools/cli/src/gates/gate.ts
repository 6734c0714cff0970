import { GateVerdict, type CheckGateRequest, type Gate } from '@leasehold/rollout-v1';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { table, indented } from '../print/table.js';
import { wordOf } from '../print/words.js';
import type { Session } from '../session.js';
import { findingLines } from './findings.js';

/** A question to a gate, and how people call it. */
export interface Question {
  /** For programs: open, prefer, close, retire or build. */
  readonly gate: NonNullable<CheckGateRequest['gate']>;
  /** `open image@2` */
  readonly title: string;
}

/** @throws Unreachable, Fault */
export async function askGate(session: Session, { gate }: Question): Promise<Gate> {
  const { gate: answer } = await session.services.coordinator(({ rollout }) => rollout.checkGate({ gate }));
  if (answer === undefined) throw new Error('a coordinator answered without a gate');
  return answer;
}

export const passes = ({ verdict }: Gate): boolean => verdict === GateVerdict.PASS;

/** What a pipeline goes by. A verdict that this build does not know is no pass. */
export const exitCodeOf = ({ verdict }: Gate): ExitCode => (verdict === GateVerdict.PASS ? exitCodes.done : verdict === GateVerdict.FAIL ? exitCodes.refused : exitCodes.unreachable);

export const verdictOf = ({ verdict }: Gate): string => wordOf(GateVerdict, verdict);

export const gateData = (gate: Gate): object => ({ verdict: verdictOf(gate), findings: gate.findings, counted: gate.counted, nextCommands: gate.nextCommands, evaluateTime: gate.evaluateTime });

/** The verdict in its colour. */
export function paintVerdict(gate: Gate, { ink }: Session): string {
  const word = verdictOf(gate);
  switch (gate.verdict) {
    case GateVerdict.PASS:
      return ink.green(word);
    case GateVerdict.FAIL:
      return ink.red(word);
    default:
      return ink.yellow(word);
  }
}

/** The whole answer for people: verdict, witnesses, what was counted, what to type next. */
export function gateText(title: string, gate: Gate, session: Session): string {
  const counts = gate.counted.map(({ what, count }) => [String(count), what]);
  return [
    `${paintVerdict(gate, session)}  ${title}, as of ${gate.evaluateTime?.toISOString() ?? 'an unknown time'}`,
    findingLines(gate.findings, session),
    counts.length === 0 ? '' : `${session.ink.bold('counted')}\n${indented(table([], counts))}`,
    session.next(gate.nextCommands),
  ].filter((part) => part !== '').join('\n');
}

/** In one line, for progress. */
export function gateLine(gate: Gate): string {
  const [first] = gate.findings;
  const more = gate.findings.length > 1 ? ` (and ${gate.findings.length - 1} more)` : '';
  return first === undefined ? verdictOf(gate) : `${verdictOf(gate)}: ${first.subject}: ${first.description}${more}`;
}
