// A service for run-service.test.ts: `node dist/run-service.fixture.js <scenario>`. It goes on when its standard input ends.
import { once } from 'node:events';
import { systemClock } from './clock.js';
import { parseConfig } from './config.js';
import { type Component, Lifecycle } from './lifecycle.js';
import type { Logger } from './logger.js';
import { OpsServer } from './ops-server.js';
import { createRegistry } from './registry.js';
import { type Assembly, runService } from './run-service.js';
import { durationMs, port } from './variables.js';

const scenario = process.argv[2] ?? '';

const inputEnded = async (): Promise<void> => { await once(process.stdin.resume(), 'end'); };

function part(name: string, logger: Logger, behaviour: Partial<Component>): Component {
  return {
    name,
    async start() { logger.info({ event: 'part_starting', part: name }); await behaviour.start?.(); },
    async stop(deadline) { logger.info({ event: 'part_stopping', part: name }); await behaviour.stop?.(deadline); },
  };
}

const behaviours: Record<string, Partial<Component>> = {
  'stops-when-told': { stop: inputEnded },
  'hangs': { stop: () => new Promise(() => undefined) },
  'fails-to-stop': { stop: () => Promise.reject(new Error('torn')) },
  'fails-to-start': { start: () => Promise.reject(new Error('no port')) },
  'starts-when-told': { start: inputEnded },
};

async function main(env: NodeJS.ProcessEnv, logger: Logger): Promise<Assembly> {
  const config = parseConfig({ FIXTURE_STOP_TIMEOUT: durationMs({ default: 60_000 }), FIXTURE_PORT: port({ default: 0 }) }, env);
  if (scenario === 'assembles-when-told') {
    logger.info({ event: 'assembling' });
    await inputEnded();
  }
  if (scenario === 'never-assembles') {
    logger.info({ event: 'assembling' });
    await systemClock.wait(Number.POSITIVE_INFINITY);
  }
  if (scenario === 'fails-to-assemble') throw new Error('no such thing');
  const lifecycle = new Lifecycle({ logger, phaseTimeoutMs: 20_000, stopTimeoutMs: config.FIXTURE_STOP_TIMEOUT });
  const server = new OpsServer({ host: '127.0.0.1', port: config.FIXTURE_PORT, registry: createRegistry('fixture'), readiness: async () => [lifecycle.readiness()], logger });
  lifecycle.add(part('first', logger, {})).add(server).add(part('tested', logger, behaviours[scenario] ?? {}));
  return { lifecycle, beforeStop: () => logger.info({ event: 'before_stop', parent_fd: env['LEASEHOLD_PARENT_FD'] ?? null }) };
}

await runService({ name: 'fixture', main, mainStopTimeoutMs: scenario === 'never-assembles' ? 50 : 60_000 });

if (scenario === 'throws') void inputEnded().then(() => setImmediate(() => { throw new Error('bug at http://store/k?sig=hunter2'); }));
if (scenario === 'rejects') void inputEnded().then(() => Promise.reject(new Error('bug')));
