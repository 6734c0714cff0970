import { sql } from '@leasehold/postgres';
import { contractWord, type Contract, type ContractName } from './contract.js';
import { audit, findContracts } from './registry.js';
import type { StepParts } from './steps.js';

const setPausedSql = sql(import.meta.url, 'set-paused');

export type PauseResult = { readonly verdict: 'done' | 'changed'; readonly contract: Contract } | { readonly verdict: 'unknown' };

/** Statements that grant from then on leave a paused version out; running jobs go on, waiting ones spend no attempt. There is no gate: it is what one does first on a bad day. */
export async function setPaused(parts: StepParts, name: ContractName, paused: boolean, o: { readonly revision: bigint | undefined; readonly actor: string; readonly reason: string; readonly validateOnly: boolean }): Promise<PauseResult> {
  const result = await parts.db.transaction(async (tx): Promise<PauseResult> => {
    const find = async (): Promise<Contract | undefined> => (await findContracts(tx, name.kind)).find(({ version }) => version === name.version);
    const before = await find();
    if (before === undefined) return { verdict: 'unknown' };
    if (o.validateOnly) return { verdict: o.revision === undefined || o.revision === before.revision ? 'done' : 'changed', contract: { ...before, paused } };
    const rows = await tx.query(setPausedSql, [name.kind, name.version, paused, o.revision ?? null]);
    if (rows.length > 0 && before.paused !== paused) await audit(tx, { actor: o.actor, action: paused ? 'contract_paused' : 'contract_resumed', subjects: [contractWord(name)], detail: o.reason });
    return { verdict: rows.length > 0 ? 'done' : 'changed', contract: (await find()) ?? before };
  });
  if (result.verdict === 'done' && !o.validateOnly) parts.signals.send('change', `due ${name.kind}`);
  return result;
}
