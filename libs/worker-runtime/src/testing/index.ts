export { failpointsFrom } from './failpoint-variables.js';
export { Failpoints } from './failpoints.js';
export { ScriptedCoordinator } from './scripted-coordinator.js';
