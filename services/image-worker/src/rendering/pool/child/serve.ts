import { once } from 'node:events';
import { readSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { PhotoFault } from '../../../reasons.js';
import type { MakePhoto } from '../../photo-making.js';
import { frameHead, FrameReader, type Frame } from '../frame.js';
import type { MadePicture } from '../../picture-order.js';
import type { Announced, Answer, Order } from '../messages.js';

// A pipe of its own for the work. Reads and writes block: between two pictures there is nothing else to do.
const PIPE = 3;

/** The life of a child: one picture after another, until the pool ends it with SIGKILL or goes away itself. */
export async function serve(make: MakePhoto): Promise<void> {
  // A terminal and some supervisors signal all processes of a service at once. The parent drains, and the picture under way is part of that.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // Whatever else ends it: an ordinary end waits for every thread, and one of them reads until the parent is gone.
  process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
  // Its message, not 'online': modules are loaded on the thread that decoders will occupy.
  await once(new Worker(new URL('./lifeline.js', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 } }), 'message');
  send({ kind: 'ready' });
  for (const orders = new FrameReader(2 ** 32); ;) {
    const order = read(orders);
    if (order === undefined) break;
    await answer(order, make);
  }
  process.exit();
}

async function answer({ header, body }: Frame, make: MakePhoto): Promise<void> {
  try {
    const { order, limits }: Order = JSON.parse(header); // of the pool's own making, so taken at its word
    const { pictures, placeholder, source } = await make(body, { order, limits, onJudged: () => send({ kind: 'judged' }) });
    const bodies = (placeholder === undefined ? pictures : [...pictures, placeholder]).map(({ bytes }) => bytes);
    send({ kind: 'made', pictures: pictures.map(announced), placeholder: placeholder === undefined ? null : announced(placeholder), source }, bodies);
  } catch (error) {
    if (error instanceof PhotoFault) send({ kind: 'refused', reason: error.reason, message: words(error) });
    else send({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

const announced = ({ bytes, width, height, frames }: MadePicture): Announced => ({ width, height, frames, sizeBytes: bytes.length });

const words = ({ message, cause }: Error): string => (cause instanceof Error ? `${message}: ${cause.message}` : message);

function send(what: Answer, bodies: readonly Buffer[] = []): void {
  const bodyBytes = bodies.reduce((sum, { length }) => sum + length, 0);
  for (const piece of [frameHead(what, bodyBytes), ...bodies]) for (let at = 0; at < piece.length;) at += writeSync(PIPE, piece, at);
}

function read(reader: FrameReader): Frame | undefined {
  for (;;) {
    const bytes = readSync(PIPE, reader.wanted);
    if (bytes === 0) return undefined;
    const frame = reader.filled(bytes);
    if (frame !== undefined) return frame;
  }
}
