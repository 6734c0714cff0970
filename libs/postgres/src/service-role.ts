import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Logger } from '@leasehold/service';
import { lockKey } from './migrations.js';
import { sql } from './statement.js';

const restrict = sql(import.meta.url, 'restrict-role');

export interface ServiceRoleOptions {
  /** Of the owner, who migrates. */
  readonly connectionString: string;
  /** What the service connects as. It must exist, and be able to do nothing by itself. */
  readonly role: string;
  /** A file of statements that grants what the service needs, to the role that the setting leasehold.service_role names; several where several owners' tables are. */
  readonly grants: URL | readonly URL[];
  readonly logger: Logger;
}

/**
 * Gives a role what its service needs in this database and takes everything else, all at once, so that it may be repeated under a running
 * service. Nobody but the owner and such roles can connect to the database afterwards.
 * @throws the server's error for a role that is missing or could do more than what is granted (superuser, member of others, owner).
 */
export async function grantServiceRole(o: ServiceRoleOptions): Promise<void> {
  const client = new pg.Client({ connectionString: o.connectionString, application_name: 'leasehold migrate' });
  await client.connect();
  try {
    await client.query('begin');
    // Two at once would change the same rows of the catalogue.
    await client.query('select pg_advisory_xact_lock($1)', [lockKey]);
    await client.query("select set_config('leasehold.service_role', $1, true)", [o.role]);
    await client.query(restrict.text);
    for (const grants of o.grants instanceof URL ? [o.grants] : o.grants) await client.query(readFileSync(grants, 'utf8'));
    await client.query('commit');
    o.logger.info({ event: 'role_granted', role: o.role }, 'the role may do what its service needs');
  } finally {
    // Without a commit the server rolls back as the connection closes.
    await client.end();
  }
}
