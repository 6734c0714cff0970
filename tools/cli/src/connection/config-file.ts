import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { Usage } from '../terminal.js';

const addresses = z.union([z.string(), z.array(z.string()).min(1)]).transform((value) => (typeof value === 'string' ? value : value.join(',')));

/** What may stand in the file. Unknown words are refused: one that is misspelt would be ignored. */
const form = z.strictObject({
  coordinators: addresses.optional(),
  ingest: addresses.optional(),
  tls: z.strictObject({ ca: z.string(), cert: z.string(), key: z.string() }).partial().optional(),
});

/** The file's words, as the variables that they stand for. */
export type FileSettings = Readonly<Partial<Record<'LEASEHOLD_COORDINATORS' | 'LEASEHOLD_INGEST' | 'LEASEHOLD_TLS_CA' | 'LEASEHOLD_TLS_CERT' | 'LEASEHOLD_TLS_KEY', string>>>;

/** `$XDG_CONFIG_HOME/leasehold/config.json`, by default `~/.config/leasehold/config.json`. */
export const defaultConfigFile = (env: NodeJS.ProcessEnv): string => join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'leasehold', 'config.json');

/**
 * Reads the settings of a file. Paths in it are relative to its folder.
 * @param named the file that somebody asked for; undefined: the default one, which need not be there
 * @throws Usage for a file that is not there although it was asked for, or that is no such file
 */
export function readConfigFile(named: string | undefined, env: NodeJS.ProcessEnv): FileSettings {
  const path = named ?? defaultConfigFile(env);
  const text = readText(path, named !== undefined);
  if (text === undefined) return {};
  const read = form.safeParse(parseJson(path, text));
  if (!read.success) throw new Usage(`${path} is no configuration: ${z.prettifyError(read.error)}`);
  const { coordinators, ingest, tls = {} } = read.data;
  const beside = (file: string | undefined): string | undefined => (file === undefined ? undefined : resolve(dirname(path), file));
  const settings = { LEASEHOLD_COORDINATORS: coordinators, LEASEHOLD_INGEST: ingest, LEASEHOLD_TLS_CA: beside(tls.ca), LEASEHOLD_TLS_CERT: beside(tls.cert), LEASEHOLD_TLS_KEY: beside(tls.key) };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function readText(path: string, mustBeThere: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (missing && !mustBeThere) return undefined;
    throw new Usage(`${path} cannot be read${missing ? ': it is not there' : ''}`, { cause: error });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Usage(`${path} is no JSON`, { cause: error });
  }
}
