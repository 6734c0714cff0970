import type { FailureClass } from '../settle/settlement.js';

const REASON = /^[A-Z][A-Z0-9_]{0,62}$/;

/**
 * What a handler throws when it knows why the job cannot be done.
 *
 * `content` (the input is at fault) ends the job at once; `technical` (something around it is) is retried while attempts are left. Only
 * reason and class reach the coordinator and the producer; the message is for the worker's log.
 */
export class JobFault extends Error {
  /** A word of the kind's closed list. */
  readonly reason: string;
  readonly faultClass: FailureClass;

  /**
   * @param reason `[A-Z][A-Z0-9_]{0,62}`, from the kind's closed list
   * @throws RangeError for another shape: the coordinator would refuse the settlement
   */
  constructor(reason: string, faultClass: FailureClass, message: string = reason, options?: ErrorOptions) {
    if (!REASON.test(reason)) throw new RangeError(`${JSON.stringify(reason)} is not a fault reason`);
    super(message, options);
    this.name = 'JobFault';
    this.reason = reason;
    this.faultClass = faultClass;
  }
}

/**
 * What a contract's `decode` throws for a payload that this build cannot read although it declared the version. The job is handed back,
 * and not offered to this build again.
 */
export class UnreadableContract extends Error {
  override readonly name = 'UnreadableContract';
}
