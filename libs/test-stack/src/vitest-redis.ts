// vitest's globalSetup of projects that ask for a Redis. An interrupted run needs no teardown: the server ends with this process.
import type { TestProject } from 'vitest/node';
import { leftOut } from './left-out.js';
import { type RedisServer, startRedis } from './redis/server.js';
import { StackFault } from './stack-fault.js';
import './test-redis.js';

let server: RedisServer | undefined;

export async function setup(project: TestProject): Promise<void> {
  if (leftOut('redis')) return;
  try {
    server = await startRedis();
  } catch (error) {
    if (!(error instanceof StackFault)) throw error;
    // The tests that need it say so and fail; the project's others still run.
    project.provide('leaseholdRedis', { refusal: error.message });
    return;
  }
  project.provide('leaseholdRedis', { url: server.url });
}

export async function teardown(): Promise<void> {
  await server?.stop();
}
