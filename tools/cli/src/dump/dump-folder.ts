import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../terminal.js';
import type { DatabaseName } from './databases.js';
import { parseManifest, type DumpedTable, type Manifest } from './manifest.js';
import { Meter } from './meter.js';

const manifestName = 'manifest.json';
// In the form of sha256sum, so that `sha256sum -c manifest.sha256` says whether the manifest is whole, and the manifest the rest.
const manifestDigestName = 'manifest.sha256';
const digestLine = (text: string | Buffer): string => `${createHash('sha256').update(text).digest('hex')}  ${manifestName}\n`;

/** Where the rows of a table lie in a dump. */
export const tablePath = (folder: string, database: DatabaseName, table: Pick<DumpedTable, 'file'>): string => join(folder, database, table.file);

/**
 * Lets `write` fill a folder that appears under its name when it is complete, on disk, and not before. Refuses a name that is taken.
 * The folder is its owner's alone: it holds payloads and lease tokens.
 */
export async function createDump(folder: string, databases: readonly DatabaseName[], write: (unfinished: string) => Promise<Manifest>): Promise<Manifest> {
  const place = resolve(folder);
  if (await access(place).then(() => true, () => false)) throw new Refusal(`${folder} is there already and stays as it is: choose another name`);
  await mkdir(dirname(place), { recursive: true });
  const unfinished = join(dirname(place), `.${basename(place)}.unfinished-${process.pid}`);
  await mkdir(unfinished, { mode: 0o700 });
  try {
    for (const name of databases) await mkdir(join(unfinished, name));
    const manifest = await write(unfinished);
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeDurably(join(unfinished, manifestName), text);
    await writeDurably(join(unfinished, manifestDigestName), digestLine(text));
    for (const name of [...databases.map((database) => join(unfinished, database)), unfinished]) await syncFolder(name);
    // Fails on a folder that has come into being since and is not empty.
    await rename(unfinished, place);
    await syncFolder(dirname(place));
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Reads a dump's manifest and checks every file of the databases asked for against it. Refuses what is damaged, cut short or no dump at all. */
export async function verifyDump(folder: string, only: readonly DatabaseName[], signal: AbortSignal): Promise<Manifest> {
  const [text, digest] = await Promise.all([manifestName, manifestDigestName].map((name) => readFile(join(folder, name)).catch((error: unknown) => {
    throw new Refusal(`${folder} is no dump that can be read: ${error instanceof Error ? error.message : String(error)}`);
  })));
  if (text === undefined || digest?.toString('latin1') !== digestLine(text)) throw new Refusal(`${join(folder, manifestName)} is damaged: it and ${manifestDigestName} differ. Use another copy of the dump`);
  const verdict = parseManifest(text.toString('utf8'));
  if ('fault' in verdict) throw new Refusal(`${folder}: ${verdict.fault}`);
  for (const name of only) {
    for (const table of verdict.manifest.databases[name]?.tables ?? []) {
      const path = tablePath(folder, name, table);
      const meter = new Meter();
      await pipeline(createReadStream(path), meter, nowhere(), { signal }).catch((error: unknown) => {
        throw new Refusal(`${folder} is not whole: ${error instanceof Error ? error.message : String(error)}`);
      });
      refuseDifference(path, table, meter);
    }
  }
  return verdict.manifest;
}

/** @throws Refusal when what was read of a table's file is not what the manifest says. */
export function refuseDifference(path: string, table: DumpedTable, read: Meter): void {
  if (read.bytes !== table.bytes) throw new Refusal(`${path} is damaged: it has ${read.bytes} bytes, and the dump was made with ${table.bytes}. Use another copy of the dump`);
  if (read.sha256() !== table.sha256) throw new Refusal(`${path} is damaged: its SHA-256 is not the manifest's. Use another copy of the dump`);
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
