import { program } from './program.js';

// Whoever reads may have seen enough (`| head`): that is no fault of this command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

process.exitCode = await program({
  args: process.argv.slice(2),
  env: process.env,
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  colour: process.stdout.isTTY === true,
  // What npx sets; whoever types it would not find `leasehold` alone.
  command: process.env['npm_command'] === 'exec' ? 'npx leasehold' : 'leasehold',
  interrupt: () => {
    const controller = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
    return controller.signal;
  },
});
