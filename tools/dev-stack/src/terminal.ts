import picocolors from 'picocolors';

export type Colours = ReturnType<typeof picocolors.createColors>;

/** Where a person reads what happens. */
export interface Terminal {
  readonly colours: Colours;
  /** Where lines can be drawn again; undefined when the output goes to a file or a pipe. */
  readonly live: NodeJS.WritableStream | undefined;
  line(text?: string): void;
  /** Something that went wrong, in one line. */
  failure(text: string): void;
}

export function processTerminal(): Terminal {
  // Whoever reads may leave (a closed pipe, a closed window); what was started must still be stopped in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const isLive = process.stdout.isTTY && process.env['TERM'] !== 'dumb';
  // picocolors by itself also colours what CI runs, terminal or not.
  const colours = picocolors.createColors(isLive && process.env['NO_COLOR'] === undefined);
  return {
    colours,
    live: isLive ? process.stdout : undefined,
    line: (text = '') => void process.stdout.write(`${text}\n`),
    failure: (text) => void process.stderr.write(`${colours.red('leasehold:')} ${text}\n`),
  };
}

/** `3.2 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
