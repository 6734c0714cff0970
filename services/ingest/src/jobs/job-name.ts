/** A job id is used once: the generation is part of it, and a generation is queued once. */
export const jobIdOf = (resourceId: string, generation: number): string => `${resourceId}.${generation}`;

/** `namespaces/{namespace}/kinds/{kind}/jobs/{job}` */
export const jobName = (kind: string, namespace: string, jobId: string): string => `namespaces/${namespace}/kinds/${kind}/jobs/${jobId}`;
