import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow, temporaryDirectory } from './fixtures/temporary-directory.js';
import { acknowledged, startWriter } from './fixtures/start-writer.js';
import { deathPoints, type DeathPoint } from './fixtures/writer.js';
import { wholeVersions } from './fixtures/whole-versions.js';
import { openEmbeddedStore } from './embedded-store.js';

const published: readonly DeathPoint[] = ['after the rename', 'before a directory is synced', 'after a directory is synced', 'before the clean-up'];
const killed = { code: null, signal: 'SIGKILL' };

test.concurrent.for(deathPoints.map((dieAt) => ({ dieAt, versions: published.includes(dieAt) ? 2 : 1 })))(
  'a writer killed $dieAt of its second put leaves $versions whole version(s)',
  async ({ dieAt, versions }, { expect, onTestFinished }) => {
    const directory = await temporaryDirectory(onTestFinished);
    const writer = await startWriter({ directory, keys: ['a/first', 'b/second'], puts: 3, maxBytes: 200_000, dieAt });
    expect(await writer.exited, writer.tail()).toEqual(killed);
    const store = await openEmbeddedStore({ directory });
    const found = await wholeVersions(store);
    expect(acknowledged(writer.events())).toHaveLength(1);
    expect(found).toEqual(expect.arrayContaining(acknowledged(writer.events())));
    expect(found).toHaveLength(versions);
    expect(await filesBelow(join(directory, 'tmp'))).toHaveLength(versions === 1 ? 1 : 0);
  },
);

test('after each of many kills at random moments, two writers at a time: all that was answered is there, and all that is there is whole', { timeout: 90_000 }, async () => {
  const directory = await temporaryDirectory();
  const answered: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const o = { directory, keys: ['same/key', `own/${round}/a`, `own/${round}/b`], puts: 300, maxBytes: 100_000 };
    await Promise.all([startWriter(o), startWriter(o)].map(async (starting) => {
      const writer = await starting;
      const after = randomInt(1, 40);
      let seen = 0;
      await writer.waitForEvent(() => (seen += 1) >= after, { timeoutMs: 30_000 });
      writer.kill('SIGKILL');
      expect(await writer.exited).toEqual(killed);
      answered.push(...acknowledged(writer.events()));
    }));
    const store = await openEmbeddedStore({ directory });
    expect(await wholeVersions(store)).toEqual(expect.arrayContaining(answered));
  }
  expect(answered.length).toBeGreaterThan(10);
  const later = Date.now() + 86_400_001;
  await openEmbeddedStore({ directory, now: () => later });
  expect(await filesBelow(join(directory, 'tmp'))).toEqual([]);
});
