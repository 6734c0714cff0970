import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@leasehold/test-stack';
import { databasesOn } from './fleet/databases.js';
import { rehearse } from './rehearsal/rehearse.js';

// npm run rehearse:rollout — a whole rollout on an embedded stack, before the reader's eyes. Exit code 1 when any answer was another than expected.
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const folder = await mkdtemp(join(tmpdir(), 'leasehold-rehearsal-'));
print(`Logs of all processes: ${folder}`);
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
try {
  const asExpected = await rehearse({ databases: await databasesOn(postgres), folder, print });
  process.exitCode = asExpected ? 0 : 1;
} finally {
  await postgres.stop();
}
