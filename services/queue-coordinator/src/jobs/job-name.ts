/** Names a job: unique among live and finished ones until it is pruned. */
export interface JobName {
  readonly namespace: string;
  readonly kind: string;
  readonly jobId: string;
}

const namespacePattern = '[a-z][a-z0-9-]{0,62}';
const kindPattern = '[a-z][a-z0-9-]{0,62}';
const jobIdPattern = '[A-Za-z0-9._~-]{1,128}';
const jobPattern = new RegExp(`^namespaces/(${namespacePattern})/kinds/(${kindPattern})/jobs/(${jobIdPattern})$`);
const parentPattern = new RegExp(`^namespaces/(${namespacePattern}|-)/kinds/(${kindPattern})$`);

/** The form of job names, for error messages. */
export const jobNameForm = 'namespaces/{namespace}/kinds/{kind}/jobs/{job} with {job} of 1 to 128 characters A-Z a-z 0-9 . _ ~ -';

/** Undefined when the text is no job name. */
export function parseJobName(text: string): JobName | undefined {
  const [, namespace, kind, jobId] = jobPattern.exec(text) ?? [];
  return namespace === undefined || kind === undefined || jobId === undefined ? undefined : { namespace, kind, jobId };
}

/** Parses the parent of a list; a namespace of `-` means any. Undefined when the text is no such name. */
export function parseParent(text: string): { readonly namespace: string | undefined; readonly kind: string } | undefined {
  const [, namespace, kind] = parentPattern.exec(text) ?? [];
  return namespace === undefined || kind === undefined ? undefined : { namespace: namespace === '-' ? undefined : namespace, kind };
}

export const renderJobName = ({ namespace, kind, jobId }: JobName): string => `namespaces/${namespace}/kinds/${kind}/jobs/${jobId}`;

/** Whether the text is a kind's name. */
export const isKind = (text: string): boolean => new RegExp(`^${kindPattern}$`).test(text);
