import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

// The thread of a child that ends it when its parent is gone, however both of them are: the main thread may be busy for ever, and the end of a process
// would wait for a decoder's thread that never returns. Nothing is ever written into this pipe, so that the read returns at its end.
parentPort?.postMessage('watching');
readSync(4, Buffer.alloc(1));
process.kill(process.pid, 'SIGKILL');
