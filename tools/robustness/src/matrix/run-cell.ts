import { FileState, type File } from '@leasehold/client';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { downloaded, handOver } from '../photos/hand-over.js';
import { photoOf, shows } from '../photos/photo.js';
import type { Cell, Part } from './cells.js';

const photos = 12;

/** What a cell came to, as sentences of what did not hold; empty when all did. */
export interface CellReport {
  readonly faults: readonly string[];
  /** Versions of the jobs that were made. */
  readonly versions: readonly number[];
  /** Photos that were ready before a reader of everything came in. */
  readonly readyAtFirst: number;
}

/**
 * Runs one cell of the matrix: photos are handed over to all its ingests at once; what its workers read is made, the rest waits without spending an attempt until a worker comes that reads
 * both. Nothing is lost, nothing is leased to a worker that did not declare it, no outcome goes to a producer that cannot read it.
 */
export async function runCell(cell: Cell): Promise<CellReport> {
  const fleet = await Fleet.prepare({
    databases: await databasesOfTheRun(),
    ingests: cell.ingests.length,
    programs: { coordinator: cell.coordinator.coordinator },
    ingestPrograms: cell.ingests.map(({ programs }) => programs),
    ingestEnvs: cell.ingests.map(({ versions, restricted }): Record<string, string> => (restricted ? { LEASEHOLD_IMAGE_CONTRACTS: versions.join(',') } : {})),
  });
  try {
    await fleet.queue.query(`insert into contracts (kind, version, state) values ('image', 2, 'open') on conflict (kind, version) do update set state = 'open'`);
    await fleet.queue.query("update contracts set share_percent = case version when 2 then $1::int else 100 - $1::int end where kind = 'image'", [cell.share]);
    const workers = cell.workers.map((part) => ({ part, member: workerOf(fleet, part) }));
    await fleet.start();
    await Promise.all(workers.map(({ member }) => member.start()));
    const cards = await Promise.all(Array.from({ length: photos }, async (_, i) => handOver(fleet.files, (await photoOf(i)).bytes)));
    const readable = new Set(cell.workers.flatMap(({ versions }) => versions));
    const readyAtFirst = await settled(fleet, cards, readable);
    const waiting = await fleet.queue.query<{ contract_version: number; attempts: number }>("select contract_version, attempts from jobs where kind = 'image'");
    const faults = waiting.rows.flatMap((job) => (readable.has(job.contract_version) || job.attempts > 0 ? [`a job of version ${job.contract_version} waits after ${job.attempts} attempts`] : []));
    const last = { part: { programs: {}, versions: [1, 2], restricted: false }, member: await fleet.worker().start() };
    for (const [i, card] of cards.entries()) faults.push(...(await faultsOf(fleet, card, i)));
    const versions = await versionsByJob(fleet);
    for (const { part, member } of [...workers, last]) faults.push(...leasedUndeclared(member, part.versions));
    for (const [i, { versions: reads }] of cell.ingests.entries()) faults.push(...deliveredUnreadable(fleet.ingests[i], reads, versions));
    faults.push(...fleet.members.flatMap(({ fell }) => fell));
    return { faults, versions: [...new Set(versions.values())].toSorted((a, b) => a - b), readyAtFirst };
  } finally {
    await fleet.end();
  }
}

const workerOf = (fleet: Fleet, { programs, versions, restricted }: Part): Member =>
  fleet.worker({ programs, env: restricted ? { LEASEHOLD_CONTRACTS: versions.join(',') } : {} });

/** Waits until nothing that its workers read is left. @returns how many photos are ready then */
async function settled(fleet: Fleet, cards: readonly File[], readable: ReadonlySet<number>): Promise<number> {
  for (const endsAtMs = Date.now() + 90_000; ; ) {
    const { rows } = await fleet.queue.query<{ contract_version: number }>("select contract_version from jobs where kind = 'image'");
    const states = await Promise.all(cards.map(async ({ name }) => (await fleet.files.get(name)).state));
    const ready = states.filter((state) => state === FileState.READY).length;
    if (!rows.some((job) => readable.has(job.contract_version)) && ready + rows.length === cards.length) return ready;
    if (Date.now() > endsAtMs) throw new Error(`${rows.length} jobs are left and ${ready} photos are ready after 90 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function faultsOf(fleet: Fleet, card: File, number: number): Promise<string[]> {
  const ready = await fleet.files.waitUntilFinal(card.name, { signal: AbortSignal.timeout(90_000) });
  if (ready.state !== FileState.READY) return [`${card.name} ended in state ${ready.state}`];
  return (await shows(await photoOf(number), await downloaded(fleet.files, ready))) ? [] : [`${card.name} shows another photo`];
}

async function versionsByJob(fleet: Fleet): Promise<Map<string, number>> {
  const { rows } = await fleet.queue.query<{ job_id: string; contract_version: number }>("select job_id, contract_version from finished_jobs where kind = 'image'");
  return new Map(rows.map((row) => [row.job_id, row.contract_version]));
}

const leasedUndeclared = (worker: Member, declared: readonly number[]): string[] =>
  worker.events('job_started').flatMap(({ job_id: id, version }) => (declared.includes(Number(version)) ? [] : [`${worker.name} was leased ${String(id)} of version ${String(version)}`]));

const deliveredUnreadable = (ingest: Member | undefined, reads: readonly number[], versions: ReadonlyMap<string, number>): string[] =>
  (ingest?.events('outcome_applied') ?? []).flatMap(({ job }) => {
    const version = versions.get(String(job).split('/').at(-1) ?? '');
    return version === undefined || reads.includes(version) ? [] : [`${ingest?.name} was handed the outcome of ${String(job)} of version ${version}`];
  });
