import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lease } from '@leasehold/lease-v1';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { jobName, type TestQueue, type TestWorker } from './testbed/queue.fixture.js';
import { normalised, scenesOf, withBlocks } from './testbed/readme-blocks.fixture.js';
import type { RunOptions } from './testbed/run.fixture.js';

const readmeFile = new URL('../README.md', import.meta.url);

/** What the README shows is what commands print. */
export function readmeSuite(queue: () => TestQueue): void {
  describe('README', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'leasehold-readme-'));
      await writeFile(join(folder, 'image-v2.binpb'), 'descriptors of image@2');
    });
    afterAll(() => rm(folder, { recursive: true }));

    const workerId = (letter: string): string => `${letter.repeat(8)}-0000-4000-8000-000000000001`;
    const manifest = (build: string, reads: readonly string[]): Promise<void> => writeFile(join(folder, 'leasehold-build.json'), JSON.stringify({ build, reads }));
    let worker: TestWorker | undefined;
    let held: readonly Lease[] = [];

    /** What goes on around whoever types. */
    const acts: Readonly<Record<string, (screen: readonly string[]) => Promise<unknown>>> = {
      'release 0.1.0 is at work': async () => {
        await queue().reset();
        await queue().worker('image-worker@0.1.0', [1], workerId('a'));
        await queue().worker('image-worker@0.1.0', [1], workerId('b'));
        await queue().produce([1], 'ingest-main-1', 'ingest@0.1.0');
        await manifest('image-worker@0.2.0', ['image@1', 'image@2']);
      },
      'release 0.2.0 comes in beside it': async () => {
        worker = await queue().worker('image-worker@0.2.0', [1, 2], workerId('c'));
        await queue().worker('image-worker@0.2.0', [1, 2], workerId('d'));
        await queue().sql.query('truncate producers');
        await queue().produce([1, 2], 'ingest-main-2', 'ingest@0.2.0');
        await queue().enqueue('photo-7.1');
        held = await worker.take();
      },
      'photo-7 is made': async (screen) => {
        await worker?.complete(...held);
        // Each state is on the screen before the next one comes: how many lines there are must not depend on who is faster.
        await vi.waitFor(() => expect(screen.at(-1)).toContain('outcomes 1'), { timeout: 5_000 });
        await queue().acknowledgeAll([1, 2]);
      },
      'release 0.2.0 is half out, and spoils photos': async () => {
        await queue().reset();
        await queue().openVersion2(50);
        await queue().worker('image-worker@0.1.0', [1], workerId('a'));
        await queue().produce([1, 2], 'ingest-main-2', 'ingest@0.2.0');
        worker = await queue().worker('image-worker@0.2.0', [1, 2], workerId('c'));
        for (const photo of ['photo-1.1', 'photo-2.1', 'photo-3.1']) await queue().enqueue(photo, 2);
        const leases = await worker.take();
        await worker.complete(...leases.slice(0, 2));
        await worker.fail(...leases.slice(2));
        await queue().acknowledgeAll([1, 2]);
        await queue().enqueue('photo-4.1', 2);
        await vi.waitFor(async () => expect((await queue().sql.query('select from build_records where version = 2 having sum(succeeded + failed_technical) = 3')).rowCount).toBe(1), { timeout: 10_000, interval: 100 });
        await manifest('image-worker@0.1.0', ['image@1']);
      },
      'release 0.2.1 comes in': () => queue().worker('image-worker@0.2.1', [1, 2], workerId('e')),
    };

    /** What a command prints, as it would look on a screen, with its exit code where that is not 0. */
    async function screenOf(command: string, during: string | undefined): Promise<string> {
      const typed = command.replace(/^npx leasehold /, '').replaceAll(/(image-v2\.binpb|leasehold-build\.json)/g, (file) => join(folder, file));
      const screen: string[] = [];
      let begun: Promise<unknown> | undefined;
      const heard: RunOptions['heard'] = (text) => {
        screen.push(text);
        if (during !== undefined) begun ??= acts[during]?.(screen);
      };
      const { code } = await queue().leasehold(typed, { heard });
      await begun;
      return [`$ ${command}`, ...screen, ...(code === 0 ? [] : [`(exit code ${code})`])].join('\n');
    }

    test('the README shows what commands really print (LEASEHOLD_WRITE_README=1 writes it)', async () => {
      const readme = await readFile(readmeFile, 'utf8');
      const shown: string[] = [];
      const real: string[] = [];
      let during: string | undefined;
      for (const scene of scenesOf(readme)) {
        if (scene.what === 'block') {
          const screens: string[] = [];
          for (const command of scene.commands) screens.push(await screenOf(command, during));
          during = undefined;
          shown.push(scene.text);
          real.push(`${screens.join('\n\n')}\n`);
          continue;
        }
        expect(acts, scene.act).toHaveProperty([scene.act]);
        if (scene.what === 'during') during = scene.act;
        else await acts[scene.act]?.([]);
      }
      if (process.env['LEASEHOLD_WRITE_README'] === '1') await writeFile(readmeFile, withBlocks(readme, real));
      else expect(shown.map((text) => normalised(text))).toEqual(real.map((text) => normalised(text)));
      // Of the two days that are told, nothing was left out.
      expect(real.length).toBeGreaterThan(15);
      expect((await queue().leasehold(`explain job ${jobName('photo-4.1')}`)).out).toContain('discarded');
    });
  });
}
