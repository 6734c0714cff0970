export { exitCodes } from './exit-codes.js';
export { program } from './program.js';
export type { Terminal } from './terminal.js';
