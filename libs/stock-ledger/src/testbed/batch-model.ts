/** A batch as the rules say it moves: what the ledger is compared with. Pure, and without the ledger's words for rows. */
export interface ModelRun {
  readonly generation: number;
  readonly fence: bigint;
  readonly token: number;
}

export class BatchModel {
  state: 'none' | 'accepted' | 'applied' | 'rejected' | 'cancelled' = 'none';
  content = '';
  generation = 0;
  revision = 0n;
  fence = 0n;
  token: number | undefined;
  outcomeFence = 0n;
  byRun = false;
  applied = 0;
  readonly retried: bigint[] = [];

  accept(content: string): string {
    if (this.state === 'none') {
      this.#open(content);
      this.revision = 1n;
      return 'accepted';
    }
    if (content === this.content) return 'same';
    if (this.state !== 'rejected') return 'conflict';
    this.#open(content);
    return 'reopened';
  }

  begin(run: ModelRun): string {
    if (this.state === 'none') return 'unknown';
    if (this.state === 'accepted' && run.generation === this.generation && (run.fence > this.fence || (run.fence === this.fence && (this.token === undefined || this.token === run.token)))) {
      this.fence = run.fence;
      this.token = run.token;
      return 'begun';
    }
    return run.generation === this.generation && this.state !== 'accepted' ? 'ended' : 'superseded';
  }

  /** @param takes whether stock can take it, or any of it where it may be applied in part */
  apply(run: ModelRun, takes: boolean): string {
    if (this.state === 'none') return 'unknown';
    if (this.state === 'applied' && run.generation === this.generation) return 'already_applied';
    if (!this.#holds(run)) return 'lost';
    if (!takes) return 'refused';
    this.#end('applied', true);
    this.applied += 1;
    return 'applied';
  }

  reject(run: ModelRun): string {
    if (this.state === 'none') return 'unknown';
    if (this.#holds(run)) {
      this.#end('rejected', true);
      if (run.fence > this.outcomeFence) this.outcomeFence = run.fence;
      return 'rejected';
    }
    if (run.generation !== this.generation || this.state === 'accepted') return 'lost';
    return this.state === 'rejected' && this.byRun && this.outcomeFence >= run.fence ? 'rejected' : 'ended';
  }

  settle(generation: number, kind: 'succeeded' | 'cancelled' | 'refused', outcomeFence: bigint): string {
    if (this.state === 'none') return 'unknown';
    if (generation !== this.generation) return 'superseded';
    const larger = outcomeFence > this.outcomeFence;
    if (this.state !== 'accepted') {
      if (larger && this.state === 'rejected' && !this.byRun && kind === 'refused') this.revision += 1n;
      if (larger) this.#hear(outcomeFence);
      return 'kept';
    }
    if (!larger) return 'superseded';
    this.#hear(outcomeFence);
    this.token = undefined;
    if (kind === 'succeeded') {
      this.generation += 1;
      this.revision += 1n;
      return 'reopened';
    }
    this.#end(kind === 'cancelled' ? 'cancelled' : 'rejected', false);
    return 'ended';
  }

  cancel(): string {
    if (this.state === 'none') return 'unknown';
    if (this.state === 'accepted') this.#end('cancelled', false);
    return this.state === 'cancelled' ? 'cancelled' : 'ended';
  }

  retry(revision: bigint): string {
    if (this.state === 'none') return 'unknown';
    if (this.state === 'rejected' && revision === this.revision) {
      this.retried.push(revision);
      this.#open(this.content);
      return 'reopened';
    }
    if (this.retried.includes(revision)) return 'repeated';
    return this.state === 'rejected' ? 'stale' : 'not_rejected';
  }

  #holds(run: ModelRun): boolean {
    return this.state === 'accepted' && run.generation === this.generation && run.fence === this.fence && run.token === this.token;
  }

  #open(content: string): void {
    Object.assign(this, { state: 'accepted', content, generation: this.generation + 1, revision: this.revision + 1n, token: undefined });
  }

  #end(state: 'applied' | 'rejected' | 'cancelled', byRun: boolean): void {
    Object.assign(this, { state, byRun, revision: this.revision + 1n });
  }

  #hear(outcomeFence: bigint): void {
    this.outcomeFence = outcomeFence;
    if (this.fence <= outcomeFence) {
      this.fence = outcomeFence + 1n;
      this.token = undefined;
    }
  }
}
