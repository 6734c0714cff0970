import { randomInt } from 'node:crypto';
import getPort from 'get-port';

// Below the ephemeral ranges of Linux (from 32768) and macOS (from 49152): a port from inside them can be taken by anybody's outgoing
// connection between the moment it was found free and the moment it is bound.
const lowest = 20_000;
const highest = 32_000;
const candidates = 50;

/**
 * A TCP port on 127.0.0.1 that nothing listens on. Random, so that runs at the same time rarely propose the same one; it is not reserved, so
 * whoever binds it must still be ready to hear that it is taken.
 */
export function freePort(): Promise<number> {
  return getPort({ host: '127.0.0.1', port: Array.from({ length: candidates }, () => randomInt(lowest, highest)) });
}
