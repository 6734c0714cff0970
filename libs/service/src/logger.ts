import { destination as pinoDestination, pino, stdTimeFunctions, type Bindings, type DestinationStream, type Logger } from 'pino';
import { redact, redactText } from './redact.js';

export type { DestinationStream, Logger } from 'pino';

/** The levels of a log line, most talkative first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * A logger that writes one JSON line per event: `level` (word), `time` (ISO 8601), `service`, `pid`, then the caller's fields and `msg`. Give
 * every line a field `event` in snake_case; it is what people and tests search for.
 *
 * Secrets are hidden by field name at any depth (see redact.ts), queries and user parts of URLs in any text. Lines are written synchronously
 * to standard output unless `destination` says otherwise, so that the last line before an exit is not lost.
 */
export function createLogger(o: { service: string; level?: string; destination?: DestinationStream }): Logger {
  const logger = pino(
    {
      level: o.level ?? 'info',
      base: { service: o.service, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      // redact() has turned errors into plain fields by then; pino's own serializer would look at them again.
      serializers: { err: (err: unknown) => err },
      hooks: { streamWrite: redactText },
    },
    o.destination ?? pinoDestination({ dest: 1, sync: true }),
  );
  redactBindings(logger);
  return logger;
}

// pino does not pass the fields of child loggers through formatters.log. Children inherit this through their prototype.
function redactBindings(logger: Logger): void {
  for (const method of ['child', 'setBindings']) {
    const original: unknown = Reflect.get(logger, method);
    if (typeof original !== 'function') throw new TypeError(`pino's loggers have no ${method} any more`);
    Object.defineProperty(logger, method, {
      value(this: Logger, bindings: Bindings, ...rest: unknown[]): unknown {
        return Reflect.apply(original, this, [redact(bindings), ...rest]);
      },
    });
  }
}
