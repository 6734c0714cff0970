import { startProcess, type LogEvent, type ProcessEnd, type ServiceProcess } from '@leasehold/test-stack';
import { sumOf } from './figures.js';

export interface MemberOptions {
  readonly name: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile?: string;
}

/** One process of the fleet: the same program under the same settings and addresses, however often it is killed and started again. */
export class Member {
  readonly name: string;
  readonly #o: MemberOptions;
  readonly #lives: ServiceProcess[] = [];
  readonly #alive = new Set<ServiceProcess>();
  readonly #meant = new Set<ServiceProcess>();
  readonly #fell: string[] = [];
  #http = '';

  constructor(o: MemberOptions) {
    this.name = o.name;
    this.#o = o;
  }

  /**
   * Returns once it serves. Rejects with its last lines when it ends instead.
   * @param o.mayFail an end before it serves counts as meant
   */
  async start(o: { readonly mayFail?: boolean } = {}): Promise<this> {
    const life = await this.launch();
    if (o.mayFail === true) this.#meant.add(life);
    const { addresses } = await life.waitForEvent(({ event }) => event === 'service_started', { timeoutMs: 25_000 });
    this.#http = httpOf(addresses);
    this.#meant.delete(life);
    return this;
  }

  /** Starts the process and waits for nothing. */
  async launch(): Promise<ServiceProcess> {
    const { name, program, env, logFile } = this.#o;
    const life = await startProcess({ name, args: [program], env, ...(logFile === undefined ? {} : { logFile }) });
    this.#lives.push(life);
    this.#alive.add(life);
    void life.exited.then(({ code, signal }) => {
      this.#alive.delete(life);
      if (!this.#meant.has(life)) this.#fell.push(`${name} ended by itself with ${signal ?? code}:\n${life.tail()}`);
    });
    return life;
  }

  get runs(): boolean {
    return this.#alive.size > 0;
  }

  /** Of its last life. */
  get exited(): Promise<ProcessEnd> {
    return this.#life.exited;
  }

  /** SIGKILL: it hears nothing of it. Returns when it is gone. */
  async kill(): Promise<void> {
    this.#meant.add(this.#life);
    this.#toAll('SIGKILL');
    await this.#life.exited;
  }

  /** SIGTERM, and waits for its end. */
  async stop(): Promise<ProcessEnd> {
    this.#meant.add(this.#life);
    return this.#life.stop({ timeoutMs: 60_000 });
  }

  /** To the process alone: it has children of its own, which it looks after. */
  signal(signal: 'SIGTERM' | 'SIGUSR2'): void {
    if (!this.runs) throw this.#over(signal);
    if (signal === 'SIGTERM') this.#meant.add(this.#life);
    process.kill(this.#life.pid, signal);
  }

  /** The process and its children stand still until wake(), in the middle of whatever they do. */
  freeze(): void {
    this.#toAll('SIGSTOP');
  }

  wake(): void {
    this.#toAll('SIGCONT');
  }

  /** Ends that nobody asked for, each with its last lines. */
  get fell(): readonly string[] {
    return this.#fell;
  }

  /** What it logged over all its lives, oldest first; of one event, when it is named. */
  events(event?: string): LogEvent[] {
    const all = this.#lives.flatMap((life) => life.events());
    return event === undefined ? all : all.filter((line) => line['event'] === event);
  }

  /** The first such event of its present life, also one from before this call, whose fields are as given. */
  async logged(event: string, fields: Readonly<Record<string, unknown>> = {}, timeoutMs = 30_000): Promise<LogEvent> {
    const matches = (line: LogEvent): boolean => line['event'] === event && Object.entries(fields).every(([name, value]) => line[name] === value);
    return this.#life.waitForEvent(matches, { timeoutMs });
  }

  /** The first such event from now on. */
  async nextLogged(event: string, timeoutMs: number): Promise<LogEvent> {
    return this.#life.waitForEvent((line) => line['event'] === event, { after: this.#life.eventCount(), timeoutMs });
  }

  tail(): string {
    return this.#lives.at(-1)?.tail() ?? '';
  }

  /** The sum of a metric's samples whose labels are as given. */
  async figure(metric: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    return sumOf(await (await this.http('/metrics')).text(), metric, labels);
  }

  /** Its /metrics, /readyz and so on. */
  async http(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://${this.#http}${path}`, init);
  }

  #toAll(signal: NodeJS.Signals): void {
    if (!this.#life.kill(signal)) throw this.#over(signal);
  }

  #over(signal: string): Error {
    return new Error(`${this.name} cannot be sent ${signal}: it has ended\n${this.tail()}`);
  }

  get #life(): ServiceProcess {
    const life = this.#lives.at(-1);
    if (life === undefined) throw new Error(`${this.name} was never started`);
    return life;
  }
}

function httpOf(addresses: unknown): string {
  if (typeof addresses === 'object' && addresses !== null && 'http' in addresses && typeof addresses.http === 'string') return addresses.http;
  throw new Error('the process did not say where it serves HTTP');
}
