/** google.protobuf.Duration as every edge's generated code has it. */
export interface DurationMessage {
  seconds: bigint;
  nanos: number;
}

const NANOS_PER_MS = 1_000_000;
const NANOS_PER_SECOND = 1_000_000_000;
/** Of google.protobuf.Duration: about 10,000 years. */
const MAX_SECONDS = 315_576_000_000;

/**
 * @param ms may be fractional (to the nanosecond) and negative.
 * @throws RangeError for NaN, Infinity and beyond about 10,000 years.
 */
export function durationOfMs(ms: number): DurationMessage {
  if (!(Math.abs(ms) <= MAX_SECONDS * 1000)) throw new RangeError(`${ms} ms is not a google.protobuf.Duration`);
  const whole = Math.trunc(ms / 1000);
  const nanos = Math.round((ms - whole * 1000) * NANOS_PER_MS);
  // Rounding up 999.9999999 ms gives a full second, which nanos must not hold.
  if (Math.abs(nanos) === NANOS_PER_SECOND) return { seconds: BigInt(whole + Math.sign(nanos)), nanos: 0 };
  // -0 would be written to the wire and read back as a difference.
  return { seconds: BigInt(whole), nanos: nanos === 0 ? 0 : nanos };
}

/** In ms, exact to the nanosecond within ±2^53 ms. Unset is 0. The peer chose the value: check its range before use. */
export function msOfDuration(duration: DurationMessage | undefined): number {
  return duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / NANOS_PER_MS;
}
