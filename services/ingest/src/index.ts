// What starts ingest's processes: `node <main>` and `node <migrate>`, configured by environment variables.
export const entryPoints = {
  main: new URL('./main.js', import.meta.url),
  migrate: new URL('./migrate.js', import.meta.url),
} as const;
export { migrationsDirectory } from './migrations.js';
