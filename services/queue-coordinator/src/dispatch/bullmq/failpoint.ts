/** Steps of the dispatcher between which a coordinator can die, or Redis lose what it was told. */
export type Step = 'added' | 'popped' | 'granted' | 'holding' | 'moving' | 'refusing' | 'reconciling';

/** Called at each step with the enqueue that it is about. What it throws is as good as dying there, or as a command that never arrived. For tests. */
export type Failpoint = (step: Step, enqueueId: bigint) => void;

export const noFailpoint: Failpoint = () => undefined;
