import { writeFile } from 'node:fs/promises';
import { versionIn } from '@leasehold/service';
import type { ContractCodec } from '../run/job-handler.js';

/** A worker's name and where its version stands. */
export interface Identified {
  /** The service's name, which its build begins with. */
  readonly name: string;
  readonly packageJson: URL;
}

/** What a build says of itself before it runs, in the words of the gate `build` (rollout.v1 BuildManifest). */
export interface BuildManifest {
  readonly build: string;
  /** Each as `kind@version`. */
  readonly reads: readonly string[];
}

/** What a worker registers as. */
export const buildOf = ({ name, packageJson }: Identified): string => `${name}@${versionIn(packageJson)}`;

/** Of a worker whose handler has these contracts. */
export function buildManifest<Model, Result>(worker: Identified, { kind, contracts }: { readonly kind: string; readonly contracts: ReadonlyMap<number, ContractCodec<Model, Result>> }): BuildManifest {
  return { build: buildOf(worker), reads: [...contracts.keys()].toSorted((a, b) => a - b).map((version) => `${kind}@${version}`) };
}

/** Writes the manifest beside the built worker, so that a pipeline can ask the gate before anything runs. */
export const writeBuildManifest = (file: URL, manifest: BuildManifest): Promise<void> => writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
