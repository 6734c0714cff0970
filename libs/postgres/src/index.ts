export { createPool, Database, type PoolOptions, type Transaction } from './database.js';
export { isDatabaseAway, isDataError, isRetryable } from './sqlstate.js';
export { sql, type Statement } from './statement.js';
export { Listener, type ListenerOptions } from './listener.js';
export { Notifier } from './notifier.js';
export { migrate, checkMigrations, lockKey as migrationLock, type MigrateOptions } from './migrations.js';
export { listMigrations, migrateWithin, type KnownMigration, type MigrateWithinOptions } from './migrate-within.js';
export { grantServiceRole, type ServiceRoleOptions } from './service-role.js';
