export { freePort } from './free-port.js';
export { StackFault } from './stack-fault.js';
export { startPostgres } from './postgres/server.js';
export type { PostgresOptions, PostgresServer } from './postgres/server.js';
export { startProcess } from './process/service-process.js';
export type { LogEvent, ProcessEnd, ProcessOptions, ServiceProcess, WaitOptions } from './process/service-process.js';
export { testDatabase } from './test-database.js';
export type { TestDatabase, TestDatabaseOptions } from './test-database.js';
