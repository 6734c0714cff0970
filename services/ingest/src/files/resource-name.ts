import { fenceOf, type Fence } from '../jobs/fence.js';

/** Names a file: both parts checked against their patterns. */
export interface FileId {
  readonly namespace: string;
  readonly fileId: string;
}

/** The kind of photos' jobs. */
export const imageKind = 'image';

export const namespacePattern = '[a-z][a-z0-9-]{0,62}';
const fileIdPattern = '[a-z0-9][a-z0-9-]{0,62}';
const parentForm = new RegExp(`^namespaces/(${namespacePattern})$`);
const fileForm = new RegExp(`^namespaces/(${namespacePattern})/files/(${fileIdPattern})$`);
const jobForm = new RegExp(`^namespaces/(${namespacePattern})/kinds/${imageKind}/jobs/(${fileIdPattern})\\.([1-9][0-9]{0,8})$`);
const uploadForm = new RegExp(`^uploads/(${namespacePattern})/(${fileIdPattern})$`);
const renditionForm = new RegExp(`^renditions/(${namespacePattern})/(${fileIdPattern})/(.+)$`);
const fenceForm = /^([1-9][0-9]{0,18})\/[^/]+$/;
const largest = 2n ** 63n - 1n;

export const isFileId = (text: string): boolean => new RegExp(`^${fileIdPattern}$`).test(text);
/** `namespaces/{namespace}` to its namespace; undefined when it is no such name. */
export const parseParent = (parent: string): string | undefined => parentForm.exec(parent)?.[1];

export const fileName = ({ namespace, fileId }: FileId): string => `namespaces/${namespace}/files/${fileId}`;
export const parseFileName = (name: string): FileId | undefined => fileIdOf(fileForm.exec(name));

export function parseJobName(name: string): (FileId & { readonly generation: number }) | undefined {
  const match = jobForm.exec(name);
  const id = fileIdOf(match);
  return id === undefined ? undefined : { ...id, generation: Number(match?.[3]) };
}

export const uploadKey = ({ namespace, fileId }: FileId): string => `uploads/${namespace}/${fileId}`;
export const parseUploadKey = (key: string): FileId | undefined => fileIdOf(uploadForm.exec(key));

/** The worker appends `{fence}/{name}.{extension}`: no two attempts can have one key. */
export const renditionPrefix = ({ namespace, fileId }: FileId): string => `renditions/${namespace}/${fileId}/`;
/** `fence` is undefined for a key that lies under a file's prefix and is not `{fence}/{name}`. */
export function parseRenditionKey(key: string): { readonly id: FileId; readonly fence: Fence | undefined } | undefined {
  const match = renditionForm.exec(key);
  const id = fileIdOf(match);
  if (id === undefined) return undefined;
  const fence = fenceForm.exec(match?.[3] ?? '')?.[1];
  return { id, fence: fence === undefined ? undefined : toFence(fence) };
}

function toFence(digits: string): Fence | undefined {
  const value = BigInt(digits);
  return value > largest ? undefined : fenceOf(value);
}

function fileIdOf(match: RegExpExecArray | null): FileId | undefined {
  const namespace = match?.[1];
  const fileId = match?.[2];
  return namespace === undefined || fileId === undefined ? undefined : { namespace, fileId };
}
