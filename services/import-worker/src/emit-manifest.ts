// Run by the build: writes dist/leasehold-build.json, from which `leasehold gate build` says whether this build may come in. A build that is to run with LEASEHOLD_CONTRACTS is built with it too.
import { buildManifest, declaring, versionsToDeclare, writeBuildManifest } from '@leasehold/worker-runtime';
import { identity } from './identity.js';
import { importContracts } from './imports/import-handler.js';

await writeBuildManifest(new URL('./leasehold-build.json', import.meta.url), buildManifest(identity, declaring(importContracts, versionsToDeclare(process.env['LEASEHOLD_CONTRACTS']))));
