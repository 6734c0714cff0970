import { fileURLToPath } from 'node:url';
import { type ViteUserConfig, defineConfig } from 'vitest/config';

/**
 * The one vitest configuration of every project. `postgres: true`: a real PostgreSQL runs while its tests do, see testDatabase. `s3: true`: a real S3 does,
 * see testBucket and leftOut. `redis: true`: a real Redis does, see testRedis.
 */
export function project(o: { readonly postgres?: boolean; readonly s3?: boolean; readonly redis?: boolean } = {}): ViteUserConfig {
  const setups = [
    ...(o.postgres === true ? ['./vitest-postgres.js'] : []),
    ...(o.s3 === true ? ['./vitest-s3.js'] : []),
    ...(o.redis === true ? ['./vitest-redis.js'] : []),
  ];
  return defineConfig({
    test: {
      include: ['src/**/*.{test,itest}.ts'],
      pool: 'forks', // Signals, exit hooks and native modules behave as in the services; threads share a process.
      testTimeout: 20_000,
      hookTimeout: 30_000,
      reporters: ['default', 'json'],
      outputFile: { json: 'test-results/vitest.json' },
      globalSetup: setups.map((path) => fileURLToPath(new URL(path, import.meta.url))),
    },
  });
}
