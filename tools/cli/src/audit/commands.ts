import type { AuditEvent } from '@leasehold/rollout-v1';
import type { Command } from 'commander';
import { wholeNumber } from '../option-values.js';
import { table } from '../print/table.js';
import type { Session } from '../session.js';

const perPage = 500;

/** Adds `audit` to the root command. */
export function addAuditCommand(root: Command, session: Session): void {
  root.command('audit')
    .description('what was changed by whom, newest first')
    .option('--subject <subject>', 'only what concerns this contract (image@2), build or worker', '')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 100_000), 50)
    .action(async ({ subject, limit }: { subject: string; limit: number }) => {
      const events = await list(session, subject, limit);
      session.print(events, () => (events.length === 0 ? 'nothing was changed' : table(['time', 'who', 'what', 'of', '', 'detail'], events.map((event) => [
        event.time?.toISOString() ?? '', event.actor, event.action, event.subject, event.forced ? session.ink.red('FORCED') : '', event.detail]))));
    });
}

async function list(session: Session, subject: string, limit: number): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  let pageToken = '';
  do {
    const request = { subject, pageSize: Math.min(limit - found.length, perPage), pageToken };
    const page = await session.services.coordinator(({ rollout }) => rollout.listAuditEvents(request));
    found.push(...page.events);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && found.length < limit);
  return found;
}
