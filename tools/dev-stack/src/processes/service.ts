import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StackFault, startProcess, type ProcessEnd, type ServiceProcess } from '@leasehold/test-stack';
import type { DataFolder } from '../data/folder.js';
import { remember } from '../data/leftovers.js';
import { orAbort } from '../interrupt.js';
import { shownPath } from '../shown-path.js';
import { endReason, portWasTaken } from './end-reason.js';
import { killAfterMs, type Program } from './programs.js';

const readyTimeoutMs = 30_000;
const askEveryMs = 50;

/** A port was taken between its choice and its use. */
export class PortLost extends StackFault {}

/** A service that runs. */
export interface Service {
  readonly name: string;
  readonly process: ServiceProcess;
  /** `host:port`, of those that serve it. */
  readonly http: string;
  readonly grpc: string | undefined;
  /** Resolves with the reason when it ends without having been asked to. */
  readonly failure: Promise<StackFault>;
  /** In order, or killed after 10 s. Safe to call twice. */
  stop(): Promise<void>;
}

/** Starts a program of the stack; its output goes to a log file of its name. */
export async function startProgram({ name, file, env }: Program, folder: DataFolder): Promise<ServiceProcess> {
  const process = await startProcess({ name, args: [file], env, logFile: join(folder.logs, `${name}.log`) });
  await remember(folder.processes, process.pid);
  return process;
}

/** Starts a service and waits until it is ready. Rejects with a StackFault of one line, or the signal's reason; the process has ended then. */
export async function startService(program: Program, folder: DataFolder, signal: AbortSignal): Promise<Service> {
  const process = await startProgram(program, folder);
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    await process.stop({ timeoutMs: killAfterMs });
  };
  const ended = process.exited.then((end) => endFault(process, end, folder));
  try {
    const started = await orAbort(process.waitForEvent(({ event }) => event === 'service_started', { timeoutMs: readyTimeoutMs }).catch(() => undefined), signal);
    if (started === undefined) throw await early(process, folder);
    const { grpc, http } = addressesOf(started['addresses']);
    if (http === undefined) throw new StackFault(`${program.name} does not say where it listens`);
    await Promise.race([untilReady(program.name, http, signal), ended.then((fault) => Promise.reject(fault))]);
    const failure = new Promise<StackFault>((resolve) => void ended.then((fault) => (stopping ? undefined : resolve(fault))));
    return { name: program.name, process, http, grpc, failure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function early(process: ServiceProcess, folder: DataFolder): Promise<StackFault> {
  const end = await Promise.race([process.exited, wait(100)]); // The event log hears of an end just before `exited` does.
  return end === undefined ? new StackFault(`${process.name} is not up after ${readyTimeoutMs / 1000} s; see ${logOf(process, folder)}`) : endFault(process, end, folder);
}

function endFault(process: ServiceProcess, { signal }: ProcessEnd, folder: DataFolder): StackFault {
  const Kind = portWasTaken(process) ? PortLost : StackFault;
  return new Kind(`${process.name} (process ${process.pid}) has ended: ${signal ?? endReason(process)}; see ${logOf(process, folder)}`);
}

export const logOf = ({ name }: { readonly name: string }, { logs }: DataFolder): string => shownPath(join(logs, `${name}.log`));

async function untilReady(name: string, http: string, signal: AbortSignal): Promise<void> {
  const end = performance.now() + readyTimeoutMs;
  for (;;) {
    const { ok, detail } = await askReady(http, signal);
    if (ok) return;
    if (performance.now() > end) throw new StackFault(`${name} is not ready after ${readyTimeoutMs / 1000} s: ${detail}`);
    await wait(askEveryMs, undefined, { signal });
  }
}

async function askReady(http: string, signal: AbortSignal): Promise<{ readonly ok: boolean; readonly detail: string }> {
  try {
    const answer = await fetch(`http://${http}/readyz`, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    return { ok: answer.ok, detail: await answer.text() };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

function addressesOf(value: unknown): { readonly grpc: string | undefined; readonly http: string | undefined } {
  const part = (name: string): string | undefined => {
    const address: unknown = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
    return typeof address === 'string' ? address : undefined;
  };
  return { grpc: part('grpc-server'), http: part('http') };
}
