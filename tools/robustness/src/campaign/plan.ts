import type { Dice } from './dice.js';

/** What is done to the fleet. Killed, restarted and drained processes come back after the time for which the fault holds; frozen ones wake up. */
export const faults = [
  'worker killed', 'worker frozen', 'worker drained',
  'coordinator killed', 'coordinator frozen', 'coordinator restarted',
  'ingest killed', 'ingest frozen', 'ingest restarted',
  'PostgreSQL killed', 'PostgreSQL restarted',
  'replies lost',
] as const;
export type FaultKind = (typeof faults)[number];

export interface PlannedFault {
  readonly kind: FaultKind;
  /** From the start of the round. */
  readonly atMs: number;
  /** How long it lasts, in ms. */
  readonly holdsMs: number;
  /** Chooses among the processes, or methods, that it can hit. */
  readonly target: number;
}

export interface PlannedPhoto {
  readonly number: number;
  readonly atMs: number;
  readonly ends: 'ready' | 'truncated' | 'deleted';
  /** From its confirmation to its deletion, in ms. */
  readonly deletedAfterMs: number;
}

export interface Plan {
  readonly faults: readonly PlannedFault[];
  readonly photos: readonly PlannedPhoto[];
}

export interface PlanOptions {
  readonly photos: number;
  readonly faults: number;
  /** Over how long both are spread, in ms. */
  readonly spreadMs: number;
  /** Faults hold for up to twice this, so that about half of the frozen workers are overtaken. */
  readonly leaseMs: number;
}

/** A round's plan. Every kind of fault comes before any comes again. */
export function planOf(dice: Dice, o: PlanOptions, firstPhoto: number): Plan {
  let left: FaultKind[] = [];
  const nextKind = (): FaultKind => {
    if (left.length === 0) left = [...faults];
    return left.splice(dice.roll(left.length), 1)[0] ?? 'worker killed';
  };
  const ends = ['ready', 'ready', 'ready', 'ready', 'ready', 'truncated', 'deleted'] as const;
  return {
    faults: Array.from({ length: o.faults }, () => ({ kind: nextKind(), atMs: dice.roll(o.spreadMs), holdsMs: dice.roll(2 * o.leaseMs), target: dice.roll(1_000) })),
    photos: Array.from({ length: o.photos }, (_, i) => ({ number: firstPhoto + i, atMs: dice.roll(o.spreadMs), ends: dice.pick(ends), deletedAfterMs: dice.roll(o.leaseMs) })),
  };
}
