import { createHash } from 'node:crypto';
import { ImportLayout as LayoutMessage, ImportMode as ModeMessage } from '@leasehold/ingest-v1';
import { charsets, isCharset, type Charset } from '@leasehold/shipment-csv';
import type { ImportLayout, ImportMode } from '@leasehold/stock-ledger';
import { isUsual } from '../contract/import-contracts.js';
import { invalidFields } from '../faults.js';
import { parseParent } from '../files/resource-name.js';
import { isImportId, mayBeNamed, type ImportId } from './resource-name.js';

/** What is handed over, as its caller says it. */
export interface ImportSpec {
  readonly parent: string;
  /** With validateOnly it may be empty. */
  readonly importId: string;
  /** Empty: UTF-8, or UTF-16 where the file begins with its mark. */
  readonly charset: string;
  readonly validateOnly: boolean;
  /** 32 bytes; empty: not checked. */
  readonly sha256: Uint8Array;
  /** Set: no chunks follow. */
  readonly object: { readonly key: string; readonly versionId: string } | undefined;
  readonly mode: ModeMessage;
  readonly layout: LayoutMessage;
}

const modes = new Map<ModeMessage, ImportMode>([[ModeMessage.UNSPECIFIED, 'atomic'], [ModeMessage.ATOMIC, 'atomic'], [ModeMessage.PARTIAL, 'partial']]);
const layouts = new Map<LayoutMessage, ImportLayout>([[LayoutMessage.UNSPECIFIED, 'single'], [LayoutMessage.SINGLE, 'single'], [LayoutMessage.WAREHOUSES, 'warehouses']]);

/** The same, checked. */
export interface Submission {
  readonly id: ImportId;
  readonly charset: Charset | undefined;
  readonly validateOnly: boolean;
  readonly sha256: Uint8Array;
  readonly object: { readonly key: string; readonly versionId: string } | undefined;
  readonly mode: ImportMode;
  readonly layout: ImportLayout;
}

/** @throws INVALID_ARGUMENT that lists every field that is wrong. */
export function submissionOf(spec: ImportSpec): Submission {
  const violations: { field: string; description: string }[] = [];
  const wrong = (field: string, description: string): void => { violations.push({ field, description }); };
  const namespace = parseParent(spec.parent);
  if (namespace === undefined) wrong('spec.parent', 'must be namespaces/{namespace}, with {namespace} of the form [a-z][a-z0-9-]{0,62}');
  const unnamed = spec.validateOnly && spec.importId === '';
  if (!unnamed && !isImportId(spec.importId)) wrong('spec.import_id', 'is required: the batch id, of the form [A-Za-z0-9][A-Za-z0-9._-]{0,99}');
  if (spec.charset !== '' && !isCharset(spec.charset)) wrong('spec.charset', `must be empty or one of ${charsets.join(', ')}`);
  if (spec.sha256.length !== 0 && spec.sha256.length !== 32) wrong('spec.sha256', 'must have 32 bytes, or none');
  if (spec.object !== undefined && namespace !== undefined && !mayBeNamed(spec.object.key, namespace)) wrong('spec.object.key', `must begin with uploads/${namespace}/ or shipments/${namespace}/`);
  if (spec.object?.versionId === '') wrong('spec.object.version_id', 'is required: the exact version');
  const mode = modes.get(spec.mode);
  const layout = layouts.get(spec.layout);
  if (mode === undefined) wrong('spec.mode', 'must be ATOMIC or PARTIAL, or unset, which means ATOMIC');
  if (layout === undefined) wrong('spec.layout', 'must be SINGLE or WAREHOUSES, or unset, which means SINGLE');
  if (violations.length > 0 || namespace === undefined || mode === undefined || layout === undefined) throw invalidFields(violations);
  const { validateOnly, sha256, object } = spec;
  return { id: { namespace, importId: spec.importId }, charset: isCharset(spec.charset) ? spec.charset : undefined, validateOnly, sha256, object, mode, layout };
}

interface Content extends Pick<Submission, 'charset' | 'mode' | 'layout'> {
  readonly sha256: Buffer;
  readonly sizeBytes: number;
}

/**
 * SHA-256 over what makes a second submission the same one: the bytes, how they are to be read and what becomes of them. That of a submission which asks for nothing beyond the usual is that of
 * the previous release, and none depends on the contract version that carries the job.
 */
export const contentDigest = ({ sha256, sizeBytes, charset, mode, layout }: Content): Buffer =>
  createHash('sha256').update(JSON.stringify(['shipment', sha256.toString('hex'), sizeBytes, charset ?? '', ...(isUsual({ mode, layout }) ? [] : [mode, layout])])).digest();

/** Enough of a digest for people to tell two contents apart. */
export const shortDigest = (digest: Buffer): string => digest.toString('hex', 0, 6);
