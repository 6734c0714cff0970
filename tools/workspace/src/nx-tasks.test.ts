import { expect, test } from 'vitest';
import { OutputReader } from './nx-tasks.mjs';

// As nx 24 prints with the output style static-failures-only, with colours and the carriage returns of its pseudo terminal.
const output = `
 NX   Running targets build, test for 3 projects:

- @leasehold/service

✔  nx run @leasehold/service:build  [local cache]
\u001B[32m✔\u001B[39m  nx run @leasehold/lease-v1:codegen
✔  nx run @leasehold/rpc:test  [existing outputs match the cache, left as is]

> nx run @leasehold/postgres:build\r

> tsc -b\r

src/index.ts(11,7): error TS2322: Type 'string' is not assignable to type 'number'.\r
Warning: command "tsc -b" exited with non-zero status code
✔  nx run @leasehold/service:lint

> nx run @leasehold/cli:test

\u001B[31mno\u001B[39m

 NX   Running targets build, test for 3 projects failed

Failed tasks:

Performance Profile: .nx/tasks.json
`;

test.for([1, 7, 100_000])('tasks are told apart, whatever pieces the output comes in: %i characters', (size) => {
  const told: string[] = [];
  const reader = new OutputReader({
    onSuccess: (project, target) => told.push(`${project} ${target}`),
    onFailure: (project, target, text) => told.push(`${project} ${target} failed:\n${text}`),
  });
  for (let start = 0; start < output.length; start += size) reader.push(output.slice(start, start + size));
  reader.end();
  expect(told).toEqual([
    '@leasehold/service build',
    '@leasehold/lease-v1 codegen',
    '@leasehold/rpc test',
    `@leasehold/postgres build failed:\n> tsc -b\n\nsrc/index.ts(11,7): error TS2322: Type 'string' is not assignable to type 'number'.\nWarning: command "tsc -b" exited with non-zero status code`,
    '@leasehold/service lint',
    '@leasehold/cli test failed:\nno',
  ]);
});
