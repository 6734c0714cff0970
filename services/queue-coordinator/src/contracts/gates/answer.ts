/** UNKNOWN: what is known does not suffice to say. It never passes. */
export type Verdict = 'pass' | 'fail' | 'unknown';

/** What stands in the way, by code. The list is closed: rollout.v1 names it. */
export type FindingCode =
  | 'NO_READER' | 'TOO_FEW_READERS' | 'READER_UNCERTAIN' | 'CAPACITY' | 'SUSPENDED' | 'LOSES_READER'
  | 'PRODUCER_CANNOT_READ' | 'PRODUCER_CANNOT_WRITE' | 'NO_PRODUCER_KNOWN'
  | 'CONTRACT_STATE' | 'NO_OTHER_VERSION' | 'NOT_PREFERRED' | 'PAUSED' | 'JOBS_LEFT' | 'OUTCOMES_LEFT';

export interface Finding {
  readonly code: FindingCode;
  /** The witness. */
  readonly subject: string;
  readonly description: string;
}

export interface Count {
  readonly what: string;
  readonly count: number;
}

/** A gate's answer with its proof. */
export interface GateAnswer {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly counted: readonly Count[];
  /** Commands of the CLI, in the order in which they help. */
  readonly nextCommands: readonly string[];
}

/** How certain the facts are. */
export interface Certainty {
  /** A worker that was silent for longer may be dead: it counts neither as there nor as gone. In ms. */
  readonly uncertainAfterMs: number;
}

/** Gathers a gate's answer. */
export class Evidence {
  readonly #findings: Finding[] = [];
  readonly #counted: Count[] = [];
  readonly #commands = new Set<string>();
  #failed = false;

  count(what: string, count: number): void {
    this.#counted.push({ what, count });
  }

  /** Stands in the way for certain. */
  fail(code: FindingCode, subject: string, description: string, ...commands: readonly string[]): void {
    this.#failed = true;
    this.#add({ code, subject, description }, commands);
  }

  /** May stand in the way: nobody can say. */
  unknown(code: FindingCode, subject: string, description: string, ...commands: readonly string[]): void {
    this.#add({ code, subject, description }, commands);
  }

  /** @param step the command that takes the step, for when nothing is in its way */
  answer(step: string): GateAnswer {
    const verdict = this.#failed ? 'fail' : this.#findings.length > 0 ? 'unknown' : 'pass';
    return { verdict, findings: this.#findings, counted: this.#counted, nextCommands: verdict === 'pass' ? [step] : [...this.#commands] };
  }

  #add(finding: Finding, commands: readonly string[]): void {
    this.#findings.push(finding);
    for (const command of commands) this.#commands.add(command);
  }
}
