// vitest's globalSetup of projects that ask for an S3. An interrupted run needs no teardown: the store ends with this process.
import type { TestProject } from 'vitest/node';
import { type CephServer, startCeph } from './ceph/server.js';
import { leftOut } from './left-out.js';
import './test-bucket.js';

let server: CephServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  if (leftOut('s3')) return;
  server = await startCeph();
  const { endpoint, accessKeyId, secretAccessKey } = server;
  project.provide('leaseholdS3', { endpoint, accessKeyId, secretAccessKey });
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
