import semver from 'semver';
import { expect, test } from 'vitest';
import { refusal } from './node-version.mjs';
import { readJson } from './projects.mjs';
import { root } from './scratch-workspace.js';

const promised: string = readJson(root, 'package.json').engines.node;

test('a Node that will not do is named, with those that will', () => {
  expect(refusal('18.20.4', promised)).toBe(`Leasehold needs Node ${promised}; this is Node 18.20.4. Install one of these and run the command again.`);
});

const versions = ['12.22.0', '18.20.4', '20.18.3', '20.19.0', '20.20.2', '21.7.3', '22.11.0', '22.12.0', '22.21.1', '23.11.1', '24.0.0', '24.21.0', '25.1.0', '100.0.0'];

test.for(versions)('Node %s is refused exactly if it is outside of the promised range', (version) => {
  expect(refusal(version, promised) === undefined).toBe(semver.satisfies(version, promised));
});
