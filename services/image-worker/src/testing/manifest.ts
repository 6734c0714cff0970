import { readFileSync } from 'node:fs';

const folder = new URL('../../testdata/', import.meta.url);

export const testFile = (name: string): Buffer => readFileSync(new URL(name, folder));

/** One row of testdata/manifest.tsv: a real file, what it is, and what must become of it. */
export interface ManifestRow {
  readonly file: string;
  readonly what: string;
  readonly expected: string;
}

export function manifest(): ManifestRow[] {
  const [, ...rows] = testFile('manifest.tsv').toString('utf8').trimEnd().split('\n');
  return rows.map((row) => {
    const [file = '', what = '', expected = ''] = row.split('\t');
    return { file, what, expected };
  });
}
