// Run by the build: writes dist/leasehold-build.json, from which `leasehold gate build` says whether this build may come in.
import { buildManifest, writeBuildManifest } from '@leasehold/worker-runtime';
import { identity } from './identity.js';
import { importContracts } from './imports/import-handler.js';

await writeBuildManifest(new URL('./leasehold-build.json', import.meta.url), buildManifest(identity, importContracts));
