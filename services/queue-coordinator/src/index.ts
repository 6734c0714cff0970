export { assemble, migrations } from './server.js';
export { readConfig, type CoordinatorConfig } from './config.js';
