/** Why a run was told to stop: the `reason` of the job's AbortSignal. A handler that needs to know which asks `instanceof`. */
export abstract class RunAborted extends Error {
  abstract readonly why: 'untrusted' | 'lost' | 'cancelled' | 'draining';
}

/**
 * The worker cannot be sure any more that it holds the lease: no extension was answered in time, or the bound on the whole run was
 * reached. Somebody else may be doing the job. A result is not sent as complete after this.
 */
export class LeaseUntrusted extends RunAborted {
  override readonly name = 'LeaseUntrusted';
  readonly why = 'untrusted';
  /** True when the run reached the kind's max_run, false when the coordinator was silent. */
  readonly runBoundReached: boolean;

  constructor(runBoundReached: boolean) {
    super(runBoundReached ? 'the run reached its bound' : 'the lease was not extended in time');
    this.runBoundReached = runBoundReached;
  }
}

/** The coordinator said so, or granted the job again: another holder, or none, has the job. Nothing is settled. */
export class LeaseLost extends RunAborted {
  override readonly name = 'LeaseLost';
  readonly why = 'lost';

  constructor() {
    super('the lease was lost');
  }
}

/** The producer cancelled the job. Nothing is settled. */
export class JobCancelled extends RunAborted {
  override readonly name = 'JobCancelled';
  readonly why = 'cancelled';

  constructor() {
    super('the job was cancelled');
  }
}

/** The worker stops and the time for running jobs to finish is over. The job is handed back unless the run ends at once. */
export class WorkerDraining extends RunAborted {
  override readonly name = 'WorkerDraining';
  readonly why = 'draining';

  constructor() {
    super('the worker stops');
  }
}
