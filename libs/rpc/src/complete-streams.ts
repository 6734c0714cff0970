import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { untouched } from './untouched.js';

/**
 * How long the end of a client stream is held back. Callers on grpc-js that cancel send the end of their data and the reset as two frames
 * in one go; measured on loopback, the second is read 0.1 ms after the first.
 */
const GRACE_MS = 10;

/**
 * Keeps a client stream that was broken off from looking complete. Node ends the data of a stream also when its connection is lost, and
 * its clients end it before they reset it; grpc-js passes either on as if the caller had finished, and half an upload would be stored as a
 * whole one. So the end waits for a cancellation that follows at its heels. What a stream makes official must still be named by its
 * caller afterwards (as ConfirmFile does): a reset that is late by more than this cannot be told from a change of mind.
 */
export const completeStreams: ServerInterceptor = (method, call) => {
  if (!method.requestStream) return untouched(call);
  let cancelled = false;
  return new ServerInterceptingCall(call, {
    start: (next) => next({
      onCancel: () => { cancelled = true; },
      onReceiveHalfClose: (pass) => {
        const passUnlessCancelled = (): void => (cancelled ? undefined : pass());
        // Timers run before sockets are read: after a stall of the process the reset may lie there unread when the timer fires.
        setTimeout(() => setImmediate(passUnlessCancelled), GRACE_MS);
      },
    }),
  });
};
