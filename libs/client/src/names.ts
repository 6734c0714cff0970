import { randomUUID } from 'node:crypto';

/** `namespaces/{namespace}`. */
export const namespaceName = (namespace: string): string => `namespaces/${namespace}`;

/** `namespaces/{namespace}/files/{file}`. */
export const fileName = (namespace: string, id: string): string => `namespaces/${namespace}/files/${id}`;

/** `namespaces/{namespace}/imports/{import}`. */
export const importName = (namespace: string, id: string): string => `namespaces/${namespace}/imports/${id}`;

/** A fresh id for a file. The client always chooses one: only then can a create whose answer was lost be repeated. */
export const fileId = (): string => randomUUID();
