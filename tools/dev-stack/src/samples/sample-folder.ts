import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The sample photos as files, made when they are missing or when their maker has changed.
 * @param signal ends the making between two photos
 * @param onMake told before any is made
 */
export async function sampleFolder(folder: string, signal: AbortSignal, onMake: () => void = () => undefined): Promise<string[]> {
  const { samples } = await import('./samples.js');
  const mark = join(folder, '.made-by');
  const maker = await fingerprint();
  if ((await readFile(mark, 'utf8').catch(() => '')) !== maker) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
  const present = new Set(await readdir(folder));
  const missing = samples.filter(({ name }) => !present.has(name));
  if (missing.length > 0) onMake();
  for (const { name, make } of missing) {
    signal.throwIfAborted();
    const path = join(folder, name);
    await writeFile(`${path}.part`, await make(1));
    await rename(`${path}.part`, path);
  }
  await writeFile(mark, maker);
  return samples.map(({ name }) => join(folder, name));
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const part of ['samples.js', 'scenes.js', 'grain.js']) hash.update(await readFile(new URL(part, import.meta.url)));
  return hash.digest('hex');
}
