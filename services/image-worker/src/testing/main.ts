import { ConfigError, integer, parseConfig, runService, str } from '@leasehold/service';
import { readConfig } from '../config.js';
import { assembleWorker } from '../worker.js';
import { Failpoints, isFailpoint, failpoints as known, type Failpoint } from './failpoints.js';
import { pausingHandler } from './pausing-handler.js';

// The same worker, whose runs stand still at the points that LEASEHOLD_FAILPOINTS lists, until the process gets SIGUSR2. For tests and demonstrations.
await runService({
  name: 'image-worker',
  main: async (env, logger) => {
    const config = readConfig(env);
    const test = parseConfig({
      LEASEHOLD_FAILPOINTS: str({ default: '', desc: 'where runs stand still, separated by commas', example: known.join(',') }),
      LEASEHOLD_FAILPOINT_STOPS: integer({ min: 0, default: Number.MAX_SAFE_INTEGER, desc: 'how many times, all in all' }),
      LEASEHOLD_FAILPOINT_BLOCKS_UNTIL: str({ default: undefined, desc: 'a file: until it is there a stopped run blocks the whole process' }),
    }, env);
    const failpoints = new Failpoints({ points: listed(test.LEASEHOLD_FAILPOINTS), stops: test.LEASEHOLD_FAILPOINT_STOPS, blockUntil: test.LEASEHOLD_FAILPOINT_BLOCKS_UNTIL, logger });
    process.on('SIGUSR2', () => failpoints.release());
    return assembleWorker(config, logger, (steps) => pausingHandler(steps, failpoints));
  },
});

function listed(text: string): Failpoint[] {
  const words = text === '' ? [] : text.split(',');
  return words.map((word) => {
    if (isFailpoint(word)) return word;
    throw new ConfigError([{ variable: 'LEASEHOLD_FAILPOINTS', problem: `knows only ${known.join(', ')}` }]);
  });
}
