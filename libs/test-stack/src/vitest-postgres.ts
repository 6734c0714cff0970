// vitest's globalSetup of projects that ask for PostgreSQL. An interrupted run needs no teardown: the server ends with this process.
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres/server.js';
import './test-database.js';

let server: PostgresServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  server = await startPostgres();
  project.provide('leaseholdPostgres', server.connectionString());
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
