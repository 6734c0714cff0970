import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { programs, programsOf } from '../fleet/programs.js';
import type { Load } from './load.js';
import type { Script } from './script.js';

/** The release that is rolled out from; its programs are kept as they were built. */
export const oldRelease = 'v0.1.0';
const oldBuild = 'image-worker@0.1.0';
const badWorker = fileURLToPath(new URL('./bad-worker.js', import.meta.url));
const patienceMs = 60_000;

export interface Stage {
  readonly fleet: Fleet;
  readonly load: Load;
  readonly script: Script;
  /** For files that commands read. */
  readonly folder: string;
}

/** A rollout of image@1 to image@2 with all that goes wrong on the way. The first ingest is of the old release, the second of this one; only the first runs as it begins. */
export async function perform(stage: Stage): Promise<void> {
  const { fleet, script, load } = stage;
  const [oldIngest, newIngest] = fleet.ingests;
  if (oldIngest === undefined || newIngest === undefined) throw new Error('the rehearsal needs two ingests');
  const newBuild = await buildOf(programs.worker);
  const manifest = (name: string, build: string, reads: readonly string[]): Promise<string> => manifestIn(stage.folder, name, build, reads);

  script.act('Version 1, as it has always been');
  script.say(`Two workers of ${oldRelease} read image@1. A team hands photos over all the time, until the end.`);
  const old = [fleet.worker({ programs: programsOf(oldRelease) }), fleet.worker({ programs: programsOf(oldRelease) })];
  await Promise.all(old.map((worker) => worker.start()));
  load.start();
  await until(() => finished(fleet, 1), 3, 'photos of version 1');
  await script.ask(['contracts', 'list', 'image'], { code: 0, says: [/image@1\s.*OPEN/i, /image@2\s.*ANNOUNCED/i] });

  script.act('A switch that comes too early is refused');
  await script.ask(['gate', 'open', 'image@2'], { code: 1, says: ['NO_READER', 'PRODUCER_CANNOT_READ'] });
  await script.ask(['rollout', 'open', 'image@2'], { code: 1, says: ['NO_READER'] });

  script.act('First workers that read both');
  await script.ask(['gate', 'build', '--candidate', await manifest('new.json', newBuild, ['image@1', 'image@2']), '--replaces', oldBuild], { code: 0 });
  const current = [await fleet.worker().start()];
  await script.ask(['gate', 'open', 'image@2'], { code: 1, says: ['PRODUCER_CANNOT_READ'] });

  script.act('Then producers that read the new results');
  await newIngest.start();
  await oldIngest.stop();
  script.say('The old ingest is remembered for a few seconds more; the gate is asked until it passes.');
  await script.ask(['gate', 'open', 'image@2', '--watch', '--interval', '500ms', '--timeout', '60s'], { code: 0 });
  await script.ask(['rollout', 'open', 'image@2'], { code: 0 });

  script.act('The ramp: 10 %, 50 %, and no further than the readers carry');
  await script.ask(['gate', 'prefer', 'image@2', '--percent', '100'], { code: 1, says: ['CAPACITY'] });
  await script.ask(['rollout', 'prefer', 'image@2', '--percent', '10'], { code: 0 });
  current.push(await fleet.worker().start(), await fleet.worker().start());
  await script.ask(['rollout', 'prefer', 'image@2', '--percent', '50'], { code: 0 });
  await until(() => finished(fleet, 2), 2, 'photos of version 2');
  script.check('photos of both versions are made side by side', true, (await finished(fleet, 1)) > 0 && (await finished(fleet, 2)) > 0);

  script.act('Old workers leave; nothing is lost by it');
  await script.ask(['workers', 'drain', '--without-contract', 'image@2', '--reason', 'replaced', '--yes'], { code: 0 });
  await Promise.all(old.map(leaves));
  await script.ask(['rollout', 'prefer', 'image@2', '--percent', '100'], { code: 0 });

  script.act('A rollback, and forth again');
  const oldManifest = await manifest('old.json', oldBuild, ['image@1']);
  await script.ask(['gate', 'build', '--candidate', oldManifest, '--replaces', newBuild], { code: 1, says: ['LOSES_READER', 'image@2'] });
  await script.ask(['rollout', 'ramp', 'image@2', '--percent', '50,0', '--interval', '500ms'], { code: 0 });
  const before = await finished(fleet, 1);
  await until(() => finished(fleet, 1), before + 2, 'photos of version 1 after the rollback');
  await script.ask(['rollout', 'ramp', 'image@2', '--percent', '50,100', '--interval', '500ms'], { code: 0 });

  script.act('A bad build of version 2 fails at once, and is given no more');
  const bad = await fleet.worker({ programs: { worker: badWorker } }).start();
  await until(() => rows(fleet, "select 1 from build_suspensions where build like 'bad-image-worker@%'"), 1, 'the suspension');
  await script.ask(['workers', 'list', '--kind', 'image'], { code: 0, says: ['bad-image-worker'] });
  await script.ask(['audit', '--subject', 'image@2'], { code: 0, says: ['handed 3 different jobs back unread'] });
  script.check('its hand-backs cost no job an attempt', 0, await rows(fleet, "select 1 from finished_jobs where contract_version = 2 and state = 'failed'"));
  await bad.stop();

  script.act('Version 1 is closed, and retired once nothing of it is left');
  const held = await holdOneOfVersion1(stage, current);
  await script.ask(['rollout', 'close', 'image@1'], { code: 0 });
  await script.ask(['rollout', 'retire', 'image@1'], { code: 1, says: ['JOBS_LEFT', held] });
  await script.ask(['explain', 'job', held], { code: 0, says: ['PAUSED'] });
  await script.ask(['rollout', 'resume', 'image@1'], { code: 0 });
  await script.ask(['watch', 'drain', 'image@1', '--timeout', '60s'], { code: 0 });
  await script.ask(['rollout', 'retire', 'image@1'], { code: 0 });

  script.act('What is gone may be dropped, what is there may not');
  await script.ask(['gate', 'build', '--candidate', await manifest('next.json', 'image-worker@0.3.0', ['image@2']), '--replaces', newBuild], { code: 0 });
  await script.ask(['gate', 'build', '--candidate', oldManifest, '--replaces', newBuild], { code: 1, says: ['LOSES_READER'] });
  await script.ask(['contracts', 'list', 'image'], { code: 0, says: [/image@1\s.*RETIRED/i, /image@2\s.*OPEN/i] });

  script.act('The end of the load');
  const handedOver = load.handedOver;
  const states = await load.finish();
  script.check('photos that were handed over meanwhile, by what became of them', ['READY'], Object.keys(states));
  script.say(`${handedOver} photos or more; ${await finished(fleet, 1)} by version 1, ${await finished(fleet, 2)} by version 2.`);
  const fell = fleet.members.flatMap((member) => member.fell);
  script.check('processes that ended by themselves', [], fell);
}

/** Pauses version 1 while all new jobs are of it, waits for one, and goes on to version 2: it is left over. @returns its name */
async function holdOneOfVersion1({ fleet, script }: Stage, current: readonly Member[]): Promise<string> {
  script.say('One job of version 1 is left behind a pause.');
  await script.ask(['rollout', 'prefer', 'image@2', '--percent', '0'], { code: 0 });
  await script.ask(['rollout', 'pause', 'image@1', '--reason', 'a rehearsal'], { code: 0 });
  await until(() => rows(fleet, "select 1 from jobs where kind = 'image' and contract_version = 1 and state = 'queued'"), 1, 'a job of version 1 that waits');
  await script.ask(['rollout', 'prefer', 'image@2', '--percent', '100'], { code: 0 });
  script.check('workers that read both', 3, current.filter((worker) => worker.runs).length);
  const { rows: [job] } = await fleet.queue.query<{ namespace: string; job_id: string }>("select namespace, job_id from jobs where kind = 'image' and contract_version = 1 order by enqueue_id limit 1");
  if (job === undefined) throw new Error('no job of version 1 is left');
  return `namespaces/${job.namespace}/kinds/image/jobs/${job.job_id}`;
}

const finished = (fleet: Fleet, version: number): Promise<number> => rows(fleet, `select 1 from finished_jobs where kind = 'image' and state = 'succeeded' and contract_version = ${version}`);

async function rows(fleet: Fleet, query: string): Promise<number> {
  return (await fleet.queue.query(query)).rowCount ?? 0;
}

async function until(count: () => Promise<number>, atLeast: number, what: string): Promise<void> {
  for (const endsAtMs = Date.now() + patienceMs; (await count()) < atLeast; ) {
    if (Date.now() > endsAtMs) throw new Error(`${what} did not come within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A drained worker ends by itself, as it was told. */
async function leaves(worker: Member): Promise<void> {
  worker.signal('SIGTERM');
  const { code } = await worker.exited;
  if (code !== 0) throw new Error(`${worker.name} ended with ${code}\n${worker.tail()}`);
}

/** @returns its name: commands are run in the folder */
async function manifestIn(folder: string, name: string, build: string, reads: readonly string[]): Promise<string> {
  await writeFile(join(folder, name), JSON.stringify({ build, reads }));
  return name;
}

/** As the worker's own build says it. */
async function buildOf(program: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(program, '../leasehold-build.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'build' in manifest && typeof manifest.build === 'string') return manifest.build;
  throw new Error(`${program} has no manifest beside it`);
}
