import { fstatSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';

/**
 * Calls `onEnd` once when the other end of the pipe at this descriptor is closed, which the system does for a parent that dies in
 * whatever way. Returns false if the descriptor is no open pipe.
 */
export function watchParentPipe(fd: number, onEnd: () => void): boolean {
  const stats = statOf(fd);
  if (stats === undefined || !(stats.isFIFO() || stats.isSocket())) return false;
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.once('close', onEnd);
  // An error is followed by 'close'; without a listener it would end the process as uncaught.
  pipe.on('error', () => undefined);
  // The end is only seen by who reads. The pipe must not keep a process alive that has nothing else to do.
  pipe.resume().unref();
  return true;
}

function statOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd);
  } catch {
    return undefined;
  }
}
