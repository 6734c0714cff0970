import { z } from 'zod';

/** Raised when a dump of before cannot be read any more, or a dump of now not by a build of before. */
export const formatVersion = 1;

const identifier = z.string().min(1).max(63);
const count = z.number().int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

// Becomes part of a statement: nothing but bounds gets through.
const bound = String.raw`(?:'[^'\\]*'|-?[0-9]+|MINVALUE|MAXVALUE)`;
const bounds = String.raw`\(${bound}(?:, ${bound})*\)`;
const partitionBounds = z.string().regex(new RegExp(`^(?:DEFAULT|FOR VALUES (?:FROM ${bounds} TO ${bounds}|IN ${bounds}))$`));

const table = z.strictObject({
  schema: identifier,
  name: identifier,
  /** In the file's order. */
  columns: z.array(identifier).min(1),
  partition: z.strictObject({ schema: identifier, parent: identifier, bounds: partitionBounds }).optional(),
  /** In the database's folder: PostgreSQL's COPY text, UTF-8. */
  file: z.string().regex(/^[A-Za-z0-9_%-][A-Za-z0-9._%-]*\.copy$/),
  rows: count,
  bytes: count,
  sha256: digest,
});

const sequence = z.strictObject({ schema: identifier, name: identifier, lastValue: z.string().regex(/^-?[0-9]{1,19}$/), isCalled: z.boolean() });

const database = z.strictObject({
  serverVersion: z.string(),
  /** When the snapshot was taken, by the database's clock. */
  snapshotTime: z.iso.datetime(),
  /** Of each version table, what is applied. */
  migrations: z.record(identifier, z.array(z.strictObject({ version: count, md5: z.string() }))),
  tables: z.array(table).min(1),
  sequences: z.array(sequence),
});

const manifest = z.strictObject({
  format: z.literal('leasehold-dump'),
  formatVersion: z.literal(formatVersion),
  createTime: z.iso.datetime(),
  databases: z.strictObject({ queue: database.optional(), records: database.optional() }),
});

/** What a dump holds. */
export type Manifest = z.infer<typeof manifest>;
export type DumpedDatabase = z.infer<typeof database>;
export type DumpedTable = z.infer<typeof table>;
export type DumpedSequence = z.infer<typeof sequence>;

export type ManifestVerdict = { readonly manifest: Manifest } | { readonly fault: string };

/** Reads a manifest whose bytes are known to be whole; the fault says why it is none that this build reads. */
export function parseManifest(text: string): ManifestVerdict {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'manifest.json is no JSON: this is no dump of Leasehold' };
  }
  const kind = z.object({ format: z.literal('leasehold-dump'), formatVersion: z.number() }).safeParse(value);
  if (!kind.success) return { fault: 'manifest.json is not of a dump of Leasehold' };
  if (kind.data.formatVersion !== formatVersion) return { fault: `the dump has format ${kind.data.formatVersion}, and this build reads ${formatVersion}: restore it with the release that made it` };
  const parsed = manifest.safeParse(value);
  if (!parsed.success) return { fault: `manifest.json is not as a dump's must be: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}` };
  return { manifest: parsed.data };
}
