import type { ImportRecord, Ledger } from '@leasehold/stock-ledger';
import { importNotFound, invalid } from '../faults.js';
import { parseImportName, type ImportId } from './resource-name.js';

/** @throws INVALID_ARGUMENT for what is no import's name. */
export function importIdIn(name: string, field = 'name'): ImportId {
  const id = parseImportName(name);
  if (id === undefined) throw invalid(field, 'must be namespaces/{namespace}/imports/{import}');
  return id;
}

/** @throws NOT_FOUND / IMPORT_NOT_FOUND. */
export async function importNamed(ledger: Ledger, name: string, field?: string): Promise<ImportRecord> {
  const found = await ledger.find(importIdIn(name, field));
  if (found === undefined) throw importNotFound(name);
  return found;
}
