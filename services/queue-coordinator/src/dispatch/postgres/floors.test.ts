import { expect, test } from 'vitest';
import { Floors, priorities } from './floors.js';

const at = (ms: number): Date => new Date(1_700_000_000_000 + ms);
const options = { slackMs: 2_000, readAllEveryMs: 1_000 };

test('a claim reads every version at every priority, first things first', () => {
  const classes = new Floors(() => 0).classes('image', [1, 2]);
  expect(classes.versions).toEqual([...priorities.map(() => 1), ...priorities.map(() => 2)]);
  expect(classes.priorities.slice(0, 10)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

/** The floor of image@1 at priority 0, in ms after the test's epoch; undefined when everything is read. */
const floorOf = (floors: Floors): number | undefined => {
  const ms = floors.classes('image', [1]).floors.at(-1)?.getTime() ?? 0;
  return ms === 0 ? undefined : ms - at(0).getTime();
};

test('after full grants the floor follows behind by the slack, and everything is read again every second', () => {
  let nowMs = 0;
  const floors = new Floors(() => nowMs, options);
  expect(floorOf(floors)).toBeUndefined();
  floors.granted('image', [1], [{ contractVersion: 1, priority: 0, availableAt: at(10_000) }], false);
  nowMs = 500;
  expect(floorOf(floors)).toBe(8_000);
  nowMs = 1_000;
  expect(floorOf(floors)).toBeUndefined();
  nowMs = 1_500;
  expect(floorOf(floors)).toBe(8_000);
});

test('a claim that came back short is followed by one that reads everything: nothing is hidden on a queue that runs dry', () => {
  const floors = new Floors(() => 0, options);
  floorOf(floors);
  floors.granted('image', [1], [{ contractVersion: 1, priority: 0, availableAt: at(10_000) }], true);
  expect(floorOf(floors)).toBeUndefined();
});

test('floors of other versions, priorities and kinds are their own', () => {
  const floors = new Floors(() => 0, options);
  floors.classes('image', [1, 2]);
  floors.classes('import', [1]);
  floors.granted('image', [1, 2], [{ contractVersion: 2, priority: 3, availableAt: at(10_000) }], false);
  const classes = floors.classes('image', [1, 2]);
  const set = classes.floors.flatMap((floor, i) => (floor.getTime() > 0 ? [[classes.versions[i], classes.priorities[i]]] : []));
  expect(set).toEqual([[2, 3]]);
  expect(floors.classes('import', [1]).floors.every((floor) => floor.getTime() === 0)).toBe(true);
});
