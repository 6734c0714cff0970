import { integer, type Config } from '@leasehold/service';

/** What one caller may take of a server. */
export interface CallerLimits {
  /** Calls at once, long polls and streams included. */
  readonly maxCalls: number;
  /** Streams at once. */
  readonly maxStreams: number;
  /** Calls begun a second, in the long run; twice as many at once after a pause. */
  readonly callsPerSecond: number;
}

/** Generous: they keep one caller that went wild from taking the server from all others, and nobody else ever meets them. */
export const defaultCallerLimits: CallerLimits = Object.freeze({ maxCalls: 5_000, maxStreams: 2_000, callsPerSecond: 5_000 });

/** The variables that change them. For the `parseConfig` of a service. */
export const callerLimitVariables = {
  LEASEHOLD_CALLER_MAX_CALLS: integer({ default: defaultCallerLimits.maxCalls, min: 1, desc: 'calls that one caller may have under way at once' }),
  LEASEHOLD_CALLER_MAX_STREAMS: integer({ default: defaultCallerLimits.maxStreams, min: 1, desc: 'streams among them' }),
  LEASEHOLD_CALLER_CALLS_PER_SECOND: integer({ default: defaultCallerLimits.callsPerSecond, min: 1, desc: 'calls that one caller may begin a second, in the long run' }),
};

export const callerLimitsOf = (read: Config<typeof callerLimitVariables>): CallerLimits => ({
  maxCalls: read.LEASEHOLD_CALLER_MAX_CALLS,
  maxStreams: read.LEASEHOLD_CALLER_MAX_STREAMS,
  callsPerSecond: read.LEASEHOLD_CALLER_CALLS_PER_SECOND,
});
