import { ConfigError, integer, parseConfig, str, type Logger } from '@leasehold/service';
import { Failpoints } from './failpoints.js';

/**
 * The failpoints that LEASEHOLD_FAILPOINTS lists, of those that a worker knows; runs that stand still go on when the process gets SIGUSR2.
 * @throws ConfigError
 */
export function failpointsFrom<Point extends string>(env: NodeJS.ProcessEnv, known: readonly Point[], logger: Logger): Failpoints<Point> {
  const read = parseConfig({
    LEASEHOLD_FAILPOINTS: str({ default: '', desc: 'where runs stand still, separated by commas', example: known.join(',') }),
    LEASEHOLD_FAILPOINT_STOPS: integer({ min: 0, default: Number.MAX_SAFE_INTEGER, desc: 'how many times, all in all' }),
    LEASEHOLD_FAILPOINT_BLOCKS_UNTIL: str({ default: undefined, desc: 'a file: until it is there a stopped run blocks the whole process' }),
  }, env);
  const words = read.LEASEHOLD_FAILPOINTS === '' ? [] : read.LEASEHOLD_FAILPOINTS.split(',');
  const points = words.map((word) => {
    const point = known.find((one) => one === word);
    if (point === undefined) throw new ConfigError([{ variable: 'LEASEHOLD_FAILPOINTS', problem: `knows only ${known.join(', ')}` }]);
    return point;
  });
  const failpoints = new Failpoints({ points, stops: read.LEASEHOLD_FAILPOINT_STOPS, blockUntil: read.LEASEHOLD_FAILPOINT_BLOCKS_UNTIL, logger });
  process.on('SIGUSR2', () => failpoints.release());
  return failpoints;
}
