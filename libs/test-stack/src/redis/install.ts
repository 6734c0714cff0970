import { ensurePrograms, installLine, locate, thisMachine, type Need } from '../debian-packages.js';
import { StackFault } from '../stack-fault.js';

const program = 'redis-server|valkey-server';
const redis: Need = { name: 'Redis', programs: [program], packages: 'redis-server', part: 'redis', who: 'tests with BullMQ' };

/** What a person types where Redis may not be installed by this package. */
export const redisInstallLine = installLine(redis);

/** Where redis-server or valkey-server is on PATH; undefined without either. Installs nothing. */
export const findRedis = (machine = thisMachine()): Promise<string | undefined> => locate(program, machine);

/** The same, and Debian's is installed where it may be, see ensurePrograms. */
export async function ensureRedis(machine = thisMachine()): Promise<string> {
  await ensurePrograms(redis, machine);
  const found = await findRedis(machine);
  if (found === undefined) throw new StackFault(`Redis was installed and is not on PATH. Run: ${redisInstallLine}`);
  return found;
}
