import { readFileSync } from 'node:fs';
import type { BuildManifest } from '@leasehold/rollout-v1';
import { z } from 'zod';
import { Usage } from '../terminal.js';

const form = z.object({ build: z.string().min(1), reads: z.array(z.string()) });

/** What a build says of itself, from the `leasehold-build.json` that it emits. @throws Usage */
export function readCandidate(path: string): BuildManifest {
  const read = form.safeParse(json(path));
  if (!read.success) throw new Usage(`${path} does not say what a build is: ${z.prettifyError(read.error)}; a worker's build writes dist/leasehold-build.json`);
  return read.data;
}

function json(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Usage(`${path} cannot be read as JSON; a worker's build writes dist/leasehold-build.json`, { cause: error });
  }
}
