// vitest's globalSetup of projects that ask for an S3. An interrupted run needs no teardown: the store ends with this process.
import type { TestProject } from 'vitest/node';
import { type CephServer, startCeph } from './ceph/server.js';
import { leftOut } from './left-out.js';
import { StackFault } from './stack-fault.js';
import './test-bucket.js';

let server: CephServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  if (leftOut('s3')) return;
  try {
    server = await startCeph();
  } catch (error) {
    if (!(error instanceof StackFault)) throw error;
    // The tests that need it say so and fail; the project's others still run.
    project.provide('leaseholdS3', { refusal: error.message });
    return;
  }
  const { endpoint, accessKeyId, secretAccessKey } = server;
  project.provide('leaseholdS3', { endpoint, accessKeyId, secretAccessKey });
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
