export { failpointsFrom } from './failpoint-variables.js';
export { Failpoints } from './failpoints.js';
export { testJob, type TestJob, type Told } from './running-job.js';
export { ScriptedCoordinator } from './scripted-coordinator.js';
