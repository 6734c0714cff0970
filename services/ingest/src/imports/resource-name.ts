import type { ImportId } from '@leasehold/stock-ledger';
import { namespacePattern } from '../files/resource-name.js';

export type { ImportId };

/** The kind of imports' jobs. */
export const importKind = 'import';

const importIdPattern = '[A-Za-z0-9][A-Za-z0-9._-]{0,99}';
const importIdForm = new RegExp(`^${importIdPattern}$`);
const importForm = new RegExp(`^namespaces/(${namespacePattern})/imports/(${importIdPattern})$`);
const jobForm = new RegExp(`^namespaces/(${namespacePattern})/kinds/${importKind}/jobs/(${importIdPattern})\\.([1-9][0-9]{0,8})$`);
const shipmentForm = new RegExp(`^shipments/(${namespacePattern})/(${importIdPattern})$`);

export const isImportId = (text: string): boolean => importIdForm.test(text);

export const importName = ({ namespace, importId }: ImportId): string => `namespaces/${namespace}/imports/${importId}`;
export const parseImportName = (name: string): ImportId | undefined => importIdOf(importForm.exec(name));

/** The last dot divides: an import's id may hold others. */
export function parseImportJobName(name: string): (ImportId & { readonly generation: number }) | undefined {
  const match = jobForm.exec(name);
  const id = importIdOf(match);
  return id && { ...id, generation: Number(match?.[3]) };
}

/** Every submission of an import is a version of one object. */
export const shipmentKey = ({ namespace, importId }: ImportId): string => `shipments/${namespace}/${importId}`;
export const parseShipmentKey = (key: string): ImportId | undefined => importIdOf(shipmentForm.exec(key));
/** Whether a caller of that namespace may name the object as the bytes of a shipment. */
export const mayBeNamed = (key: string, namespace: string): boolean => key.startsWith(`uploads/${namespace}/`) || key.startsWith(`shipments/${namespace}/`);

function importIdOf(match: RegExpExecArray | null): ImportId | undefined {
  const namespace = match?.[1];
  const importId = match?.[2];
  return namespace === undefined || importId === undefined ? undefined : { namespace, importId };
}
