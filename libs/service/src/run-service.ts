import { writeSync } from 'node:fs';
import type { Logger } from 'pino';
import { systemClock } from './clock.js';
import { ConfigError, parseConfig } from './config.js';
import type { Lifecycle, StopReport } from './lifecycle.js';
import { createLogger, logLevels } from './logger.js';
import { watchParentPipe } from './parent-pipe.js';
import { choice, integer } from './variables.js';

/** What a process consists of: its components, and what to do before any of them is stopped. */
export interface Assembly {
  lifecycle: Lifecycle;
  beforeStop?: () => void | Promise<void>;
}

export interface ServiceOptions {
  /** The service's name in log lines. */
  name: string;
  /** Reads the configuration and puts the parts together; starts none of them. */
  main: (env: NodeJS.ProcessEnv, logger: Logger) => Promise<Assembly>;
  /** How long a stop waits for `main` to return, if it comes that early. Default 10 s. */
  mainStopTimeoutMs?: number;
}

/** EX_CONFIG of sysexits.h: a restart without another configuration is of no use. */
const configExitCode = 78;

/**
 * The entry of a service process. Calls `main` to put the parts together, starts them, logs `service_started` with the addresses, and resolves.
 * From then on the process ends by:
 * - SIGTERM, SIGINT, or the end of the pipe named by LEASEHOLD_PARENT_FD: stops once (further signals change nothing), exit code 0; a component
 *   that hangs or fails in stopping is named in `service_stop_unclean`, exit code 1, at the Lifecycle's stopTimeoutMs at the latest;
 * - an uncaught error or rejection: logged, exit code 1 at once, as nothing is known about the state any more;
 * - an error while starting: what was started is stopped, exit code 1; a ConfigError is shown as text on standard error, exit code 78.
 *
 * Reads LEASEHOLD_LOG_LEVEL (default info) and LEASEHOLD_PARENT_FD itself.
 */
export async function runService(o: ServiceOptions): Promise<void> {
  let logger = createLogger({ service: o.name });
  try {
    const config = parseConfig({
      LEASEHOLD_LOG_LEVEL: choice(logLevels, { default: 'info' }),
      LEASEHOLD_PARENT_FD: integer({ default: undefined, min: 3, max: 1023, desc: 'the descriptor of a pipe whose end means that the parent is gone' }),
    }, process.env);
    logger = createLogger({ service: o.name, level: config.LEASEHOLD_LOG_LEVEL });
    // Children of this process do not have that pipe.
    delete process.env['LEASEHOLD_PARENT_FD'];
    await new ServiceProcess(o, logger, config.LEASEHOLD_PARENT_FD).run();
  } catch (error) {
    exitOnStartError(o.name, logger, error);
  }
}

class ServiceProcess {
  readonly #o: ServiceOptions;
  readonly #logger: Logger;
  readonly #parentFd: number | undefined;
  #assembling: Promise<Assembly> | undefined;
  #stopReason: string | undefined;

  constructor(o: ServiceOptions, logger: Logger, parentFd: number | undefined) {
    this.#o = o;
    this.#logger = logger;
    this.#parentFd = parentFd;
  }

  async run(): Promise<void> {
    this.#listen();
    const assembling = this.#o.main(process.env, this.#logger);
    this.#assembling = assembling;
    const { lifecycle } = await assembling;
    if (this.#stopReason !== undefined) return;
    try {
      await lifecycle.start();
    } catch (error) {
      // A stop that came before the end of the start is why it was given up; it also ends the process.
      if (this.#stopReason !== undefined) return;
      throw error;
    }
    this.#logger.info({ event: 'service_started', addresses: lifecycle.addresses(), node: process.version }, `${this.#o.name} is running`);
  }

  #listen(): void {
    process.on('SIGTERM', () => this.#stop('SIGTERM'));
    process.on('SIGINT', () => this.#stop('SIGINT'));
    process.on('uncaughtException', (err) => this.#die(err));
    process.on('unhandledRejection', (reason) => this.#die(reason));
    if (this.#parentFd !== undefined && !watchParentPipe(this.#parentFd, () => this.#stop('parent_gone'))) {
      this.#logger.warn({ event: 'parent_pipe_missing', fd: this.#parentFd }, 'LEASEHOLD_PARENT_FD names no open pipe; the end of the parent will not be noticed');
    }
  }

  #stop(reason: string): void {
    if (this.#stopReason !== undefined) {
      this.#logger.info({ event: 'stop_signal_ignored', reason, stopping_for: this.#stopReason }, 'already stopping');
      return;
    }
    this.#stopReason = reason;
    this.#logger.info({ event: 'service_stopping', reason }, `${this.#o.name} is stopping`);
    this.#stopAssembly().then((report) => this.#exit(report), (error: unknown) => this.#die(error));
  }

  async #stopAssembly(): Promise<StopReport> {
    const assembled = await Promise.race([this.#assembling, systemClock.wait(this.#o.mainStopTimeoutMs ?? 10_000)]);
    if (!assembled) return { hung: ['main'], failed: [], abandoned: [] };
    return assembled.lifecycle.stop(assembled.beforeStop === undefined ? {} : { first: assembled.beforeStop });
  }

  #exit(report: StopReport): void {
    if (report.hung.length + report.failed.length + report.abandoned.length > 0) {
      this.#logger.fatal({ event: 'service_stop_unclean', ...report }, `${this.#o.name} did not stop cleanly: ${[...report.hung, ...report.failed].join(', ')}`);
      process.exit(1);
    }
    this.#logger.info({ event: 'service_stopped' }, `${this.#o.name} has stopped`);
    process.exit(0);
  }

  #die(err: unknown): void {
    this.#logger.fatal({ event: 'uncaught_error', err }, 'ends at once, as its state is unknown');
    process.exit(1);
  }
}

function exitOnStartError(name: string, logger: Logger, err: unknown): never {
  if (err instanceof ConfigError) {
    writeSync(2, `${name} cannot start: ${err.message}\n`);
    process.exit(configExitCode);
  }
  logger.fatal({ event: 'service_start_failed', err }, `${name} cannot start`);
  process.exit(1);
}
