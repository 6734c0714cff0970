import type { Progress } from '../lease/lease-book.js';
import type { JobAmounts } from './job-handler.js';

/** As the edge takes it: a handler's slip must not make a heartbeat unsendable, or the lease would be lost for it. */
export const progressOf = (percent: number, stage: string, { items = 0, bytes = 0, bytesTotal = 0 }: JobAmounts = {}): Progress => ({
  percent: Number.isFinite(percent) ? Math.round(Math.min(100, Math.max(0, percent))) : 0,
  stage: stage.slice(0, 64),
  items: amountOf(items),
  bytes: amountOf(bytes),
  bytesTotal: amountOf(bytesTotal),
});

const amountOf = (amount: number): bigint => (Number.isFinite(amount) && amount > 0 ? BigInt(Math.floor(amount)) : 0n);
