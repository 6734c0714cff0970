// Entry of `npm start`, `npm test` and `npm run bench:*`. It and what it imports run before anything is installed or built: plain
// Node, no dependency. This file and node-version.mjs stay within old syntax, so that an old Node reads far enough to say so.
//   node bootstrap.mjs start [args]       installs and builds what is missing, then runs the local stack
//   node bootstrap.mjs run FILE [args]    the same for another built program
//   node bootstrap.mjs test               installs what is missing, then builds, lints and tests every project
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusal } from './src/node-version.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const wrongNode = refusal(process.versions.node, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node);

if (wrongNode) {
  console.error(wrongNode);
  process.exitCode = 1;
} else {
  void import('./src/command.mjs').then(async (module) => {
    process.exitCode = await module.command(root, process.argv.slice(2));
  });
}
