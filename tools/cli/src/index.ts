export { exitCodes, program } from './program.js';
export type { Terminal } from './terminal.js';
