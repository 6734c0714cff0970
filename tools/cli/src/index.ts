export { exitCodes, program, type Terminal } from './program.js';
