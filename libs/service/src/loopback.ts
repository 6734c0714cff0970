import { isIPv4 } from 'node:net';

/** Whether a host (name or address, IPv6 with or without brackets) never leaves this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'));
}
