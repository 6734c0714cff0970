import { StackFault } from '../stack-fault.js';
import type { ServiceProcess } from './service-process.js';

/** Where a component of a service listens, `host:port`, as the service said when it had started: `http`, or `grpc-server`. */
export async function serviceAddress(running: ServiceProcess, component: string): Promise<string> {
  const { addresses } = await running.waitForEvent((event) => event['event'] === 'service_started');
  const found = typeof addresses === 'object' && addresses !== null ? Object.entries(addresses).find(([name]) => name === component)?.[1] : undefined;
  if (typeof found === 'string') return found;
  throw new StackFault(`the service has no address for ${component}`);
}
