const units = [['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1_000]] as const;

/** A length of time for people, in its largest whole unit. */
export function age(ms: number): string {
  const [unit, unitMs] = units.find(([, size]) => ms >= size) ?? ['s', 1_000];
  return `${Math.floor(ms / unitMs)} ${unit}`;
}
