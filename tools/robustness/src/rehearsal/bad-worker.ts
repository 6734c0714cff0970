import { runService, parseConfig } from '@leasehold/service';
import { assembleWorker, UnreadableContract, workerSettings, workerVariables, type ContractCodec, type JobHandler } from '@leasehold/worker-runtime';

// A build that declares image@2 and cannot read it: what a release engineer meets on a bad day.

const unreadable: ContractCodec<never> = {
  decode: () => {
    throw new UnreadableContract('this build was made without the reader of version 2');
  },
};
const handler: JobHandler<never> = {
  kind: 'image',
  contracts: new Map([[2, unreadable]]),
  run: async () => {
    throw new Error('nothing was read');
  },
};

await runService({
  name: 'bad-image-worker',
  main: async (env, logger) =>
    assembleWorker({
      name: 'bad-image-worker',
      packageJson: new URL('../../package.json', import.meta.url),
      settings: workerSettings(parseConfig(workerVariables({ httpPort: 0, drainTimeoutMs: 5_000 }), env)),
      logger,
      partsOf: () => ({ handler, concurrency: 1, prefetch: 0, dependencies: [] }),
    }),
});
