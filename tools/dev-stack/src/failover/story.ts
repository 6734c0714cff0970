import { createHash, randomBytes } from 'node:crypto';
import { FileState } from '@leasehold/client';
import { openStore } from '@leasehold/object-store';
import { StackFault } from '@leasehold/test-stack';
import type { Service } from '../processes/service.js';
import { firstEvent, type Occurrence } from './events.js';
import type { Failover } from './failover.js';
import { Timeline } from './timeline.js';

export interface StoryOptions extends Failover {
  readonly leaseMs: number;
  /** A worker that stands still, with its picture in the store, until it gets SIGUSR2. */
  startA(): Promise<Service>;
  /** An ordinary worker. */
  startB(): Promise<Service>;
}

/** Plays it and prints each step when it has been seen in a log. Rejects with a StackFault when one does not come, or another one than it should be. */
export async function tellStory(o: StoryOptions): Promise<void> {
  const { stack, client, signal } = o;
  const timeline = new Timeline(o.terminal);
  const seen = (services: readonly Service[], event: string, fields: Readonly<Record<string, string>>): Promise<Occurrence> => firstEvent(services, event, (line) => line.has(fields), signal);
  const a = await o.startA();

  const fileId = `failover-${randomBytes(4).toString('hex')}`;
  const { name } = await client.uploadPhoto(o.photo, { fileId, signal });
  const relayed = await firstEvent([stack.ingest], 'file_relayed', (line) => line.text('job').includes(fileId), signal);
  const job = relayed.text('job').slice(relayed.text('job').lastIndexOf('/') + 1);
  timeline.add('enqueued', `job ${job}, with a lease of ${o.leaseMs / 1000} s (2 minutes at other times)`, relayed.at);

  const grantedA = await seen([a], 'job_started', { job_id: job });
  const fenceA = grantedA.text('fence');
  timeline.add('granted', `fence A ${fenceA} to process ${a.process.pid} (worker A)`, grantedA.at);
  timeline.add('in mid-job', 'worker A has stored its picture, and has not reported it yet', (await seen([a], 'failpoint_reached', { job_id: job })).at);
  a.process.kill('SIGSTOP');
  timeline.add('SIGSTOP', `process ${a.process.pid} stands still: no heartbeat, no report`);

  const b = await o.startB();
  timeline.add('another worker', `process ${b.process.pid} (worker B) asks for work`);
  const expired = await seen(stack.coordinators, 'lease_expired', { job_id: job, fence: fenceA });
  timeline.add('lease expired', 'fence A had no heartbeat: the job is free again', expired.at);
  const grantedB = await seen([b], 'job_started', { job_id: job });
  const fenceB = grantedB.text('fence');
  if (BigInt(fenceB) <= BigInt(fenceA)) throw new StackFault(`fence B (${fenceB}) is not above fence A (${fenceA})`);
  timeline.add('granted', `fence B ${fenceB} to process ${b.process.pid} (worker B), attempt ${grantedB.text('attempt')}`, grantedB.at);

  const applied = await seen([stack.ingest], 'outcome_applied', { job: relayed.text('job'), fence: fenceB });
  const { state } = await client.waitUntilFinal(name, { signal });
  if (state !== FileState.READY) throw new StackFault(`the photo of the failover is in state ${state}, not READY`);
  timeline.add('official', 'worker B has reported, the photo is READY', applied.at);

  // Waits in the frozen process: when that wakes it reports at once, before a heartbeat can tell it that it has lost.
  a.process.kill('SIGUSR2');
  timeline.add('SIGCONT', `process ${a.process.pid} (worker A) goes on, and settles its lease`);
  a.process.kill('SIGCONT');
  const lost = await seen(stack.coordinators, 'lease_lost', { job_id: job, fence: fenceA });
  if (lost.text('current_fence') !== fenceB) throw new StackFault(`the coordinator refused fence A, but says that ${lost.text('current_fence')} superseded it, not fence B ${fenceB}`);
  timeline.add('refused', `LEASE_LOST: fence A ${fenceA} is superseded by fence B ${fenceB}`, lost.at);

  const key = await servedKey(o, name, fenceB);
  if (!(await isStored(o, `renditions/default/${fileId}/${fenceA}/`))) throw new StackFault('worker A stored nothing, so that there was nothing to keep out');
  timeline.add('served', `${key} (fence B); what A stored under its own fence is not`);
}

/** The key of what callers get; its bytes are those of the record, and were written under this fence. */
async function servedKey({ client, signal }: StoryOptions, name: string, fence: string): Promise<string> {
  const { rendition, body } = await client.download(name, { signal });
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  if (String(rendition.fence) !== fence || !hash.digest().equals(rendition.sha256)) throw new StackFault(`${rendition.key} is served, which was not written under fence B ${fence}`);
  return rendition.key;
}

async function isStored({ stack, signal }: StoryOptions, prefix: string): Promise<boolean> {
  const { store, close } = await openStore(stack.store.settings);
  try {
    for await (const _ of store.listVersions(prefix, { signal })) return true;
    return false;
  } finally {
    close();
  }
}
