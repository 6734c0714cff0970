import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyParts, type BodyPart } from './body-parts.js';

async function* given(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    // The giver uses its memory again, as readers of sockets and files do.
    const reused = Buffer.from(chunk);
    yield reused;
    reused.fill(0xff);
  }
}

async function all(parts: BodyParts): Promise<BodyPart[]> {
  const read: BodyPart[] = [];
  do read.push(await parts.next()); while (read.at(-1)?.last !== true);
  return read;
}

const body = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 });
const partBytes = fc.integer({ min: 1, max: 64 });

test('whatever the chunks, the parts are the body: all of one size but the last, which is empty only where the body is', async () => {
  await fc.assert(fc.asyncProperty(body, partBytes, async (chunks, size) => {
    const whole = Buffer.concat(chunks);
    const parts = new BodyParts(given(chunks), { partBytes: size });
    const read = await all(parts);
    expect(Buffer.concat(read.map(({ bytes }) => bytes)).equals(whole)).toBe(true);
    expect(read.slice(0, -1).every(({ bytes, last }) => bytes.length === size && !last)).toBe(true);
    expect(read.length).toBe(Math.max(1, Math.ceil(whole.length / size)));
    expect(parts.sizeBytes).toBe(whole.length);
    expect(parts.sha256()).toEqual(createHash('sha256').update(whole).digest());
  }));
});

test('a body is too large exactly when it has more than the most bytes', async () => {
  await fc.assert(fc.asyncProperty(body, partBytes, fc.nat({ max: 300 }), async (chunks, size, maxBytes) => {
    const reading = all(new BodyParts(given(chunks), { partBytes: size, maxBytes })).then(() => 'taken', (error: unknown) => error);
    if (Buffer.concat(chunks).length > maxBytes) expect(await reading).toMatchObject({ kind: 'too_large' });
    else expect(await reading).toBe('taken');
  }));
});
