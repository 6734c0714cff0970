import { expect, test, vi } from 'vitest';
import { cells } from '../matrix/cells.js';
import { runCell } from '../matrix/run-cell.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

// Releases and contract versions side by side on one live queue, in both directions. `npm run test:matrix` runs every cell.

const all = process.env['LEASEHOLD_MATRIX'] === 'full';

test('the cells of every run meet each coordinator, each kind of producer and each set of workers', () => {
  const axes = (some: typeof cells): string[] => [...new Set(some.flatMap(({ name }) => name.split(', ').map((part) => part.replace(/\}.*$/, '}'))))].toSorted();
  expect(axes(cells.filter(({ spanning }) => spanning))).toEqual(axes(cells));
});

test.for(cells.filter(({ spanning }) => all || spanning))('V5: $name: nothing is lost, nothing is leased undeclared, no outcome goes to who cannot read it', async (cell) => {
  const { faults, versions, readyAtFirst } = await runCell(cell);
  expect(faults).toEqual([]);
  // What the cell is about did happen.
  expect(versions).toEqual(cell.share === 0 ? [1] : cell.share === 100 ? [2] : [1, 2]);
  const readable = new Set(cell.workers.flatMap((part) => part.versions));
  if (versions.every((version) => readable.has(version))) expect(readyAtFirst).toBe(12);
});
