/** What a run reads and where it writes. */
export interface Terminal {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** One or more lines for standard output, and for standard error. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether standard output is a terminal that shows colour. */
  readonly colour: boolean;
  /** Asks to be told of Ctrl-C and SIGTERM instead of being ended by them. */
  readonly interrupt?: () => AbortSignal;
}

/** A command that does not do what it was asked to; its message is for whoever asked. */
export class Refusal extends Error {}
