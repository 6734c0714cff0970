import type { Databases } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { shortPolicy } from '../fleet/kind-policy.js';
import { programs, programsOf } from '../fleet/programs.js';
import { CommandLine } from './command-line.js';
import { Load } from './load.js';
import { Script } from './script.js';
import { oldRelease, perform } from './story.js';

export interface RehearsalOptions {
  /** Migrated by this release, and empty. */
  readonly databases: Databases;
  /** For logs and for files that commands read. */
  readonly folder: string;
  readonly print: (text: string) => void;
}

/** Performs the rollout, and prints a table of what was asked, expected and answered. @returns whether all was as expected */
export async function rehearse({ databases, folder, print }: RehearsalOptions): Promise<boolean> {
  const fleet = await Fleet.prepare({
    databases,
    ingests: 2,
    ingestPrograms: [programsOf(oldRelease), programs],
    // A producer that has left is waited for; two minutes would be too long to watch.
    coordinatorEnv: { LEASEHOLD_PRODUCER_MEMORY: '6s' },
    policy: { ...shortPolicy, lease_ms: 10_000 },
    logFolder: folder,
  });
  const script = new Script(new CommandLine({ coordinators: fleet.coordinatorAddresses, ingests: fleet.ingestAddresses, folder }), print);
  const load = new Load(fleet.files);
  try {
    await fleet.coordinator.start();
    await fleet.ingest.start();
    await perform({ fleet, load, script, folder });
  } finally {
    print(`\n${script.table()}`);
    await load.abandon();
    await fleet.end();
  }
  const different = script.entries.filter(({ asExpected }) => !asExpected).length;
  print(different === 0 ? `All ${script.entries.length} answers were as expected.` : `${different} of ${script.entries.length} answers were not as expected.`);
  return different === 0;
}
