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
  /** How the program is called by whoever called it, for commands to be typed next. Default `leasehold`. */
  readonly command?: string;
  /** Who asks, where certificates do not say. Default: the account and the machine. */
  readonly actor?: string;
}

/** A command that does not do what it was asked to; its message is for whoever asked. */
export class Refusal extends Error {
  /** Commands that would mend it, as `leasehold …`. */
  readonly next: readonly string[];

  constructor(message: string, o: ErrorOptions & { readonly next?: readonly string[] } = {}) {
    super(message, o);
    this.next = o.next ?? [];
  }
}

/** What was typed cannot be meant. */
export class Usage extends Error {}

/** Nobody answers where a service should be. */
export class Unreachable extends Error {
  readonly service: 'coordinator' | 'ingest';

  constructor(service: 'coordinator' | 'ingest', addresses: readonly string[], cause: unknown) {
    super(`no ${service} answers at ${addresses.join(', ')}`, { cause });
    this.service = service;
  }
}
