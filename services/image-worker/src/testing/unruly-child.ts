import { pbkdf2 } from 'node:crypto';
import { writeSync } from 'node:fs';
import { serve } from '../rendering/pool/child/serve.js';
import type { MadePhoto } from '../rendering/picture-order.js';

// A child of the pool that does not decode: its «picture» is a phrase that says what it does instead.

const says = (text: string): MadePhoto => ({ pictures: [{ bytes: Buffer.from(text), width: 1, height: 1, frames: 1 }], placeholder: undefined, source: { format: 'png', width: 1, height: 1, pages: 1 } });

/** `begun` tells the pool that the deed has begun. */
const deeds = new Map<string, (begun: () => void) => Promise<MadePhoto>>([
  ['tell the process id', async () => says(String(process.pid))],
  ['tell the environment', async () => says(JSON.stringify(process.env))],
  ['hang in JavaScript', async (begun) => {
    begun();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return says('woke up');
  }],
  // On a thread of libuv's, as decoders run: half an hour of arithmetic that nothing can interrupt.
  ['hang in native code', (begun) => new Promise((resolve) => {
    pbkdf2('', '', 2 ** 31 - 1, 64, 'sha512', () => resolve(says('returned')));
    begun();
  })],
  ['eat memory', async () => {
    for (const eaten: Buffer[] = []; ;) eaten.push(Buffer.alloc(32 << 20, 1));
  }],
  ['crash', async () => process.abort()],
  ['leave', async () => process.exit(3)],
  ['throw', async () => {
    throw new Error('a surprise');
  }],
  ['speak another language', async () => {
    writeSync(3, 'what begins like this would be a frame of two gigabytes');
    return says('done');
  }],
  ['give more than was asked for', async () => {
    const { pictures, ...rest } = says('two');
    return { ...rest, pictures: [...pictures, ...pictures] };
  }],
  ['give a reason of its own', async () => {
    const header = Buffer.from(JSON.stringify({ kind: 'refused', reason: 'PAY_FIRST', message: '' }));
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32BE(header.length);
    writeSync(3, Buffer.concat([prefix, header]));
    return says('done');
  }],
]);

await serve(async (bytes, { onJudged }) => {
  const deed = deeds.get(bytes.toString('utf8'));
  if (deed === undefined) throw new Error('no such deed');
  return deed(() => onJudged?.());
});
