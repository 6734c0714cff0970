#!/usr/bin/env node
// Committed, unlike dist/: npm links it at install time, before anything is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('leasehold is not built yet: run npm run build, or npm start, once\n');
  process.exitCode = 2;
}
