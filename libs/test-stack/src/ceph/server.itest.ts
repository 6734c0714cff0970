import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { leftOut } from '../left-out.js';
import { startProcess } from '../process/service-process.js';
import { makeBucket } from '../test-bucket.js';
import { startCeph } from './server.js';

const holder = fileURLToPath(new URL('../../fixtures/holds-ceph.mjs', import.meta.url));

const answers = (endpoint: string): Promise<boolean> => fetch(endpoint).then(async (response) => response.arrayBuffer().then(() => true), () => false);
const exists = (path: string): Promise<boolean> => access(path).then(() => true, () => false);

describe.skipIf(leftOut('s3'))('a Ceph of one node', { timeout: 600_000 }, () => {
  test('several run at once, each with keys of its own, and stop without a trace', async () => {
    const [first, second] = await Promise.all([startCeph(), startCeph()]);
    try {
      await expect(makeBucket(first)).resolves.toMatchObject({ endpoint: first.endpoint });
      await expect(makeBucket({ ...first, secretAccessKey: second.secretAccessKey })).rejects.toThrow();
    } finally {
      await Promise.all([first.stop(), second.stop()]);
      await first.stop();
    }
    expect(await Promise.all([answers(first.endpoint), exists(first.dataDir), exists(second.dataDir)])).toEqual([false, false, false]);
  });

  test('goes with a killed parent, its data too', async () => {
    const parent = await startProcess({ name: 'holder', args: [holder] });
    const { endpoint, dataDir } = await parent.waitForEvent(({ event }) => event === 'ceph_started', { timeoutMs: 500_000 });
    expect(await answers(String(endpoint))).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => answers(String(endpoint)), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => exists(String(dataDir)), { timeout: 10_000 }).toBe(false);
  });
});
