export { fenceOf, type Fence } from './lease/fence.js';
export { KindUnknown } from './register/policy.js';
export { LeaseTooShort } from './renew/renewal-plan.js';
export { JobFault, UnreadableContract } from './run/job-fault.js';
export type { ContractCodec, JobHandler, RunningJob } from './run/job-handler.js';
export { JobCancelled, LeaseLost, LeaseUntrusted, RunAborted, WorkerDraining } from './run/run-aborted.js';
export type { FailureClass } from './settle/settlement.js';
export type { LeaseCallOptions, LeaseConnection } from './wire/lease-connection.js';
export { WorkerRuntime, type WorkerRuntimeOptions } from './worker-runtime.js';
