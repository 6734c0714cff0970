import { StackFault } from '@leasehold/test-stack';
import type { DataFolder } from '../data/folder.js';
import { endReason } from './end-reason.js';
import { Ports } from './ports.js';
import type { Program } from './programs.js';
import { logOf, PortLost, startProgram, startService, type Service } from './service.js';

export interface LauncherOptions {
  readonly folder: DataFolder;
  /** Gives starts up. */
  readonly signal: AbortSignal;
  /** Told of each part once it is up. */
  readonly onUp: (part: { readonly name: string; readonly where: string; readonly ms: number }) => void;
  readonly onNote: (text: string) => void;
  /** A part has ended that was not asked to. */
  readonly onBroken: (fault: StackFault) => void;
}

const attempts = 3;

/** Starts parts of the stack, each on ports that are free, and watches them. */
export class Launcher {
  readonly ports: Ports;
  readonly #o: LauncherOptions;

  constructor(o: LauncherOptions) {
    this.#o = o;
    this.ports = new Ports(o.onNote);
  }

  /** @param program asked again, for other ports, when somebody else was quicker to take one */
  service(program: () => Promise<Program>): Promise<Service> {
    return this.retried(async () => {
      const service = await startService(await program(), this.#o.folder, this.#o.signal);
      void service.failure.then((fault) => this.#o.onBroken(fault));
      return service;
    });
  }

  /** Runs a program that ends by itself. Rejects with a StackFault unless it ends well. */
  async toItsEnd(program: Program): Promise<void> {
    const process = await startProgram(program, this.#o.folder);
    const { code } = await process.exited;
    if (code !== 0) throw new StackFault(`${program.name} failed: ${endReason(process)}; see ${logOf(program, this.#o.folder)}`);
  }

  async timed<T>(name: string, start: () => Promise<T>, where: (part: T) => string): Promise<T> {
    const startedAt = performance.now();
    const part = await start();
    this.#o.onUp({ name, where: where(part), ms: performance.now() - startedAt });
    return part;
  }

  /** Again while ports are lost between their choice and their use. */
  async retried<T>(start: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await start();
      } catch (error) {
        if (!isPortLost(error) || attempt >= attempts) throw error;
      }
    }
  }
}

const isPortLost = (error: unknown): boolean => error instanceof PortLost || (error instanceof StackFault && /^port \d+ on \S+ is taken/.test(error.message));
