import { fileNotFound, invalid } from '../faults.js';
import type { Card } from './card.js';
import type { FileRecords } from './records.js';
import { parseFileName, parseParent, type FileId } from './resource-name.js';

/** @throws INVALID_ARGUMENT for what is no file's name. */
export function fileIdIn(name: string): FileId {
  const id = parseFileName(name);
  if (id === undefined) throw invalid('name', 'must be namespaces/{namespace}/files/{file}');
  return id;
}

/** @throws INVALID_ARGUMENT for what is no namespace's name. */
export function namespaceIn(parent: string): string {
  const namespace = parseParent(parent);
  if (namespace === undefined) throw invalid('parent', 'must be namespaces/{namespace}, with {namespace} of the form [a-z][a-z0-9-]{0,62}');
  return namespace;
}

/** @throws NOT_FOUND / FILE_NOT_FOUND. */
export async function cardNamed(records: FileRecords, name: string): Promise<Card> {
  const card = await records.find(fileIdIn(name));
  if (card === undefined) throw fileNotFound(name);
  return card;
}
