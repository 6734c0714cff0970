import { readFileSync } from 'node:fs';

const testdata = new URL('../../testdata/', import.meta.url);

/** A file of the manifest. */
export const manifestFile = (name: string): Buffer => readFileSync(new URL(name, testdata));

/** The first six rows as `line sku quantity`, or all faults as `CODE line column`. */
export type Expectation = { readonly rows: readonly string[] } | { readonly faults: readonly string[] };

/** What is made of each file of the manifest when nothing is declared. Where the manifest leaves a choice, the README says why it is this one. */
export const expectations: ReadonlyMap<string, Expectation> = new Map<string, Expectation>([
  ['csv-good.csv', { rows: ['2 SKU-001 5', '3 SKU-002 12', '4 SKU-003 1'] }],
  ['csv-bom-utf8.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-bom-quoted-header.csv', { rows: ['2 SKU-001 5'] }],
  ['csv-semicolon-ru.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-sep-line.csv', { rows: ['3 SKU-001 5'] }],
  ['csv-windows-1251.csv', { faults: ['ENCODING 2'] }],
  ['csv-crlf-mixed.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-cr-only.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-embedded-newline.csv', { rows: ['2 SKU-001 5', '4 SKU-002 7'] }],
  ['csv-trailing-comma.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-ragged-short.csv', { faults: ['RAGGED 3'] }],
  ['csv-ragged-long.csv', { faults: ['RAGGED 3'] }],
  ['csv-duplicate-headers.csv', { faults: ['HEADER 1 quantity'] }],
  ['csv-header-case-space.csv', { rows: ['2 SKU-001 5'] }],
  ['csv-missing-quantity-column.csv', { faults: ['HEADER 1 quantity'] }],
  ['csv-blank-lines.csv', { rows: ['3 SKU-001 5', '6 SKU-002 7'] }],
  ['csv-quote-in-unquoted.csv', { faults: ['QUOTING 2 note'] }],
  ['csv-unterminated-quote.csv', { faults: ['QUOTING 2 note'] }],
  ['csv-leading-zero-skus.csv', { rows: ['2 00123 5', '3 000 1', '4 1E10 2', '5 0x1F 3', '6 E00012 4', '7 90.750 6'] }],
  ['csv-formula-cells.csv', { faults: ['QUANTITY 4 quantity'] }],
  ['csv-quantities-bad.csv', { faults: [2, 3, 4, 5, 6, 7, 8, 9, 10].map((line) => `QUANTITY ${line} quantity`) }],
  ['csv-quantities-signed.csv', { rows: ['2 Q1 5', '3 Q2 -3', '4 Q3 0', '5 Q4 7'] }],
  ['csv-duplicate-sku-rows.csv', { rows: ['2 SKU-001 5', '3 SKU-002 1', '4 SKU-001 7'] }],
  ['csv-negative-result.csv', { rows: ['2 SKU-LOW -999999'] }],
  ['csv-int-overflow.csv', { faults: ['QUANTITY 2 quantity', 'QUANTITY 3 quantity', 'QUANTITY 4 quantity'] }],
  ['csv-nul-byte.csv', { faults: ['ENCODING 2'] }],
  ['csv-empty.csv', { faults: ['EMPTY 1'] }],
  ['csv-header-only.csv', { faults: ['EMPTY 1'] }],
  ['csv-no-final-newline.csv', { rows: ['2 SKU-001 5'] }],
  ['csv-png-inside.csv', { faults: ['ENCODING 1'] }],
  ['csv-10k-rows.csv', { rows: ['2 S000000 1', '3 S000001 2', '4 S000002 3', '5 S000003 4', '6 S000004 5', '7 S000005 6'] }],
  ['csv-utf16le-bom-tab.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-windows-1252-smart.csv', { faults: ['ENCODING 2'] }],
  ['csv-preamble-lines.csv', { faults: ['HEADER 1 sku'] }],
  ['csv-double-bom.csv', { rows: ['2 SKU-001 5'] }],
  ['csv-ctrl-z-tail.csv', { rows: ['2 SKU-001 5'] }],
  ['csv-field-1200k.csv', { faults: ['LIMIT 2 note'] }],
  ['csv-quoted-crlf-last-field.csv', { rows: ['2 SKU-001 5', '3 SKU-002 7'] }],
  ['csv-tab-named.csv', { rows: ['2 SKU-001 5'] }],
  ['csv-pipe.csv', { faults: ['HEADER 1'] }],
  ['csv-comment-lines.csv', { faults: ['HEADER 1 sku'] }],
  ['csv-only-blank.csv', { faults: ['EMPTY 1'] }],
  ['csv-single-column.csv', { faults: ['HEADER 1 quantity'] }],
]);
