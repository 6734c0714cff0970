import { fileURLToPath } from 'node:url';
import { type ViteUserConfig, defineConfig } from 'vitest/config';

/** The one vitest configuration of every project. `postgres: true`: a real PostgreSQL runs while its tests do; see testDatabase. */
export function project(o: { readonly postgres?: boolean } = {}): ViteUserConfig {
  return defineConfig({
    test: {
      include: ['src/**/*.{test,itest}.ts'],
      pool: 'forks', // Signals, exit hooks and native modules behave as in the services; threads share a process.
      testTimeout: 20_000,
      hookTimeout: 30_000,
      reporters: ['default', 'json'],
      outputFile: { json: 'test-results/vitest.json' },
      globalSetup: o.postgres === true ? [fileURLToPath(new URL('./vitest-postgres.js', import.meta.url))] : [],
    },
  });
}
