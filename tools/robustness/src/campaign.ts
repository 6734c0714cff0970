import { randomInt } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '@leasehold/test-stack';
import { Campaign, type Round } from './campaign/campaign.js';
import { headOf, rowOf, summaryOf } from './campaign/report.js';
import { databasesOn } from './fleet/databases.js';
import { Fleet } from './fleet/fleet.js';
import { Mischief } from './network/mischief.js';

// The fault campaign: npm run robustness -- [--rounds N] [--seed S] [--photos N] [--faults N]. Exit code 1 when something did not hold.

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' }, photos: { type: 'string' }, faults: { type: 'string' } } });
const numbers = {
  rounds: Number(values.rounds ?? 5),
  seed: Number(values.seed ?? randomInt(1, 1_000_000)),
  photos: Number(values.photos ?? 40),
  faults: Number(values.faults ?? 8),
};
for (const [name, value] of Object.entries(numbers)) {
  if (Number.isSafeInteger(value) && value >= 0) continue;
  console.error(`--${name} takes a whole number`);
  process.exit(64);
}
const logFolder = await mkdtemp(join(tmpdir(), 'leasehold-campaign-'));
console.log(`${numbers.rounds} rounds of ${numbers.photos} photos and ${numbers.faults} faults, seed ${numbers.seed}; 2 coordinators, 2 ingests, 3 workers; logs in ${logFolder}`);
const server = await startPostgres();
const mischief = new Mischief();
const fleet = await Fleet.prepare({ databases: await databasesOn(server), coordinators: 2, ingests: 2, mischief, logFolder, ingestEnv: { LEASEHOLD_OUTCOMES_WAIT: '2s' } });
const rounds: Round[] = [];
try {
  await Promise.all([fleet.start(), ...[1, 2, 3].map(() => fleet.worker().start())]);
  const campaign = new Campaign({ ...numbers, spreadMs: 15_000, size: { width: 1200, height: 900 } }, { fleet, server, mischief });
  console.log(headOf());
  for (let round = 1; round <= numbers.rounds; round++) {
    const done = await campaign.round(round);
    console.log(rowOf(done));
    for (const violation of done.violations) console.log(`  ${violation}`);
    rounds.push(done);
  }
  campaign.close();
} finally {
  await fleet.end();
  await server.stop();
}
console.log(summaryOf(rounds, `npm run robustness -- --rounds ${numbers.rounds} --seed ${numbers.seed} --photos ${numbers.photos} --faults ${numbers.faults}`));
// Left to end by itself, Node 20 now and then waits for ever, with a whole core, for a handle of a broken HTTP/2 connection to close.
process.exit(rounds.some(({ violations }) => violations.length > 0) ? 1 : 0);
