import { createServer } from 'node:net';
import { freePort } from '@leasehold/test-stack';
import { expect, onTestFinished, test } from 'vitest';
import { Ports } from './ports.js';

test('a free port is given without a word, also to who had it before', async () => {
  const notes: string[] = [];
  const ports = new Ports((text) => notes.push(text));
  const wanted = await freePort();
  expect([await ports.take(wanted, 'ingest'), await ports.take(wanted, 'ingest'), notes]).toEqual([wanted, wanted, []]);
});

test('instead of a taken port another one is given, with a note', async () => {
  const notes: string[] = [];
  const wanted = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(wanted, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const given = await new Ports((text) => notes.push(text)).take(wanted, 'ingest');
  expect(given).not.toBe(wanted);
  expect(notes).toEqual([`port ${wanted} is taken: ingest listens on ${given} instead`]);
});
