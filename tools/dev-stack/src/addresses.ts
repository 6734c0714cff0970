import { plainTable } from './photos/report.js';
import { shownPath } from './shown-path.js';
import type { Stack } from './stack.js';
import type { Colours } from './terminal.js';

/** What listens where, and lines to paste into another terminal. */
export function addresses(stack: Stack, colours: Colours): string {
  const { ingest, coordinators, workers, importWorker, postgres, redis, folder } = stack;
  const services = [ingest, ...coordinators, ...workers, importWorker];
  const rows = [
    ...services.map(({ name, grpc, http, process }) => [name, grpc === undefined ? '' : `gRPC ${grpc}`, `http://${http}`, `process ${process.pid}`]),
    ['PostgreSQL', `127.0.0.1:${postgres.port}`, 'databases queue, records', `process ${postgres.pid}`],
    ...(redis === undefined ? [] : [['Redis', new URL(redis.url).host, `keys ${redis.prefix}:*`, '']]),
  ];
  const [coordinator] = coordinators;
  const lines = [
    `npx buf curl --protocol grpc --http2-prior-knowledge -d '{"parent": "namespaces/default"}' http://${ingest.grpc}/leasehold.ingest.v1.FileService/ListFiles`,
    `curl -s 'http://${ingest.http}/v1/namespaces/default/stock?sku_prefix=SAMPLE-000'`,
    `curl -s http://${ingest.http}/readyz`,
    `curl -s http://${coordinator?.http}/metrics`,
    `npx leasehold jobs list --coordinators ${coordinators.map((each) => each.grpc).join(',')}`,
  ];
  return [
    plainTable(['listening', '', '', ''], rows, colours),
    '',
    `  ${colours.dim('to paste into another terminal')}`,
    ...lines.map((line) => `  ${line}`),
    '',
    `  ${colours.dim(`data, logs and results are in ${shownPath(folder.root)} and survive a restart`)}`,
  ].join('\n');
}
