export { assemble, migrations, serviceRole } from './server.js';
export { readConfig, type CoordinatorConfig } from './config.js';
