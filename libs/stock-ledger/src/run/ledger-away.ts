/**
 * A technical fault of a run: the ledger's database is out of reach, lost the connection, or did not get through in the time that was left. Nothing is known to
 * be applied, and nothing to be not: another run finds out.
 */
export class LedgerAway extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LedgerAway';
  }
}
