import { Fault, status } from '@leasehold/rpc';
import { ConfigError } from '@leasehold/service';
import { CommanderError } from 'commander';
import { wordOfName } from './contract-word.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import { findingLines } from './gates/findings.js';
import type { Session } from './session.js';
import { Refusal, Unreachable, Usage } from './terminal.js';

/** Says what went wrong and what to do about it; answers the exit code. @throws what is a fault of this program */
export function report(error: unknown, session: Session): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof ConfigError || error instanceof Usage) return said(session, exitCodes.usage, error.message);
  if (error instanceof Refusal) return said(session, exitCodes.refused, error.message, session.next(error.next));
  if (error instanceof Unreachable) return said(session, exitCodes.unreachable, error.message, howToReach[error.service]);
  if (!(error instanceof Fault)) throw error;
  const { violations = [], fieldViolations = [] } = error;
  // A gate's first finding is its message too.
  const message = isGate(error) && violations.length > 0 ? `${error.reason}: ${error.message.split(':', 1)[0] ?? ''}` : `${error.reason}: ${error.message}`;
  const details = isGate(error) ? findingLines(violations.map(({ type, subject, description }) => ({ code: type, subject, description })), session) : '';
  return said(session, codeOf(error), message, details, fieldViolations.map(({ field, description }) => `  ${field} ${description}`).join('\n'), session.next(nextOf(error)), hintOf(error));
}

const howToReach = {
  coordinator: 'start one, or name it with --coordinator, LEASEHOLD_COORDINATORS or "coordinators" in the configuration file',
  ingest: 'start one, or name it with --ingest, LEASEHOLD_INGEST or "ingest" in the configuration file',
} as const;

function said(session: Session, code: ExitCode, ...parts: readonly string[]): ExitCode {
  session.tell(parts.filter((part) => part !== '').join('\n'));
  return code;
}

const isGate = ({ reason }: Fault): boolean => reason === 'GATE_FAILED' || reason === 'GATE_UNKNOWN';

/** Whatever is no answer to the question is as good as none. */
const noAnswer: readonly status[] = [status.UNKNOWN, status.INTERNAL, status.DATA_LOSS, status.UNIMPLEMENTED, status.RESOURCE_EXHAUSTED, status.CANCELLED, status.UNAVAILABLE, status.DEADLINE_EXCEEDED];
const codeOf = ({ code, reason }: Fault): ExitCode => (reason === 'GATE_UNKNOWN' || noAnswer.includes(code) ? exitCodes.unreachable : exitCodes.refused);

function nextOf({ reason, metadata }: Fault): readonly string[] {
  const named = Object.entries(metadata).filter(([key]) => key.startsWith('next_command_')).toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })).map(([, command]) => command);
  if (named.length > 0) return named;
  const contract = metadata['contract'];
  switch (reason) {
    case 'CONTRACT_NOT_FOUND':
      return ['leasehold contracts list'];
    case 'CONTRACT_EXISTS':
      return [`leasehold contracts describe ${wordOfName(metadata['name'] ?? '')}`];
    case 'ETAG_MISMATCH':
      return contract === undefined ? [] : [`leasehold contracts describe ${contract}`];
    case 'JOB_NOT_FOUND':
      return ['leasehold jobs list'];
    default:
      return [];
  }
}

function hintOf({ code, reason, domain }: Fault): string {
  if (code === status.UNIMPLEMENTED) return 'the coordinator is older than this command: roll out a newer one first';
  if (reason === 'ROLE_NOT_ALLOWED' || reason === 'IDENTITY_MISSING') {
    return domain === 'ingest.leasehold'
      ? 'what belongs to a team is changed by a certificate of that team: spiffe://leasehold/client/<namespace>'
      : 'this is for operators: name a certificate of spiffe://leasehold/operator/<name> with --tls-cert and --tls-key';
  }
  return '';
}
