import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

// npm run test:matrix — every cell of releases and contract versions side by side; some 10 minutes. The tests of every run look at six of them.
const project = fileURLToPath(new URL('..', import.meta.url));
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
const { exitCode } = await execa(process.execPath, [vitest, 'run', 'src/guarantees/matrix.itest.ts'], { cwd: project, env: { LEASEHOLD_MATRIX: 'full' }, stdio: 'inherit', reject: false });
process.exitCode = exitCode ?? 1;
