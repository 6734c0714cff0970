import { createLogger, type Logger } from './logger.js';

/** A logger whose lines a test can read back. */
export interface CapturedLog {
  readonly logger: Logger;
  readonly text: () => string;
  readonly lines: () => Record<string, unknown>[];
  readonly events: (event: string) => Record<string, unknown>[];
}

export function captureLog(level = 'trace'): CapturedLog {
  let text = '';
  const logger = createLogger({ service: 'tested', level, destination: { write: (line) => { text += line; } } });
  const lines = (): Record<string, unknown>[] => text.split('\n').filter((line) => line !== '').map(parseLine);
  return { logger, text: () => text, lines, events: (event) => lines().filter((line) => line['event'] === event) };
}

/** One log line as its fields; throws if it is no JSON object. */
export function parseLine(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new TypeError(`not a log line: ${line}`);
  return { ...value };
}
