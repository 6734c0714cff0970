import { expect, test } from 'vitest';
import { buildManifest } from './build-manifest.js';

test('a manifest names the build as it registers, and every version that its handler has, in order', () => {
  const codec = { decode: () => 'model' };
  const manifest = buildManifest({ name: 'demo-worker', packageJson: new URL('../../package.json', import.meta.url) }, { kind: 'demo', contracts: new Map([[2, codec], [1, codec]]) });
  expect(manifest).toEqual({ build: expect.stringMatching(/^demo-worker@\d+\.\d+\.\d+$/), reads: ['demo@1', 'demo@2'] });
});
