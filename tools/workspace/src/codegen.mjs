// Generates one edge's TypeScript and its descriptor image. Runs in proto/, buf's module root, as buf's STANDARD rules want one.
// Usage: node codegen.mjs proto/leasehold/queue/v1
import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';

const [project] = process.argv.slice(2);
if (project === undefined) throw new Error('usage: codegen.mjs PROJECT_ROOT');
const path = relative('proto', project);
buf('generate', '--template', 'buf.gen.yaml', '--path', path, '-o', path);
buf('build', '--path', path, '-o', `${path}/src/gen/image.binpb`);

/** @param {string[]} args */
function buf(...args) {
  execFileSync('../node_modules/.bin/buf', args, { stdio: 'inherit' });
}
