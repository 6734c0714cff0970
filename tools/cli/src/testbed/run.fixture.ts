import { program } from '../index.js';

/** What a command line came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly colour?: boolean;
  readonly interrupt?: () => AbortSignal;
  /** Hears each line of either stream as it is written. */
  readonly heard?: (text: string) => void;
}

/** Runs a command line in this process. No configuration file of this machine counts. */
export async function run(args: readonly string[], { env = {}, colour = false, interrupt, heard }: RunOptions = {}): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const into = (stream: string[]) => (text: string): void => {
    stream.push(text);
    heard?.(text);
  };
  const code = await program({ args, env: { XDG_CONFIG_HOME: '/nonexistent', ...env }, out: into(out), err: into(err), colour, command: 'npx leasehold', actor: 'ada@desk', ...(interrupt && { interrupt }) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
