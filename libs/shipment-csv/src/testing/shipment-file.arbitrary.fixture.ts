import fc from 'fast-check';
import iconv from 'iconv-lite';
import type { Charset, ShipmentRow } from '../shipment.js';

/** A file and what must be read from it. */
export interface ShipmentFile {
  readonly bytes: Buffer;
  readonly charset: Charset | undefined;
  readonly separator: string;
  readonly rows: readonly ShipmentRow[];
  readonly zeroRows: number;
}

const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const skuCharacters = ['A', 'z', '0', '9', '-', '.', '=', '+', '@', '#', '\\', 'N', ' ', ',', ';', '|', '"', "'", 'é', 'Ж', '漢', '😀'];
const noteCharacters = [...skuCharacters, '\t', '\n', '\r', '\r\n', '\u200b'];
const spelled = fc.constantFrom<[string, string]>(['sku', 'quantity'], [' SKU ', 'Quantity'], ['Sku', '\u00a0QUANTITY '.replace('\u00a0', ' ')]);
const quantity = fc.oneof(
  fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }).map((value) => ({ text: String(value), value })),
  fc.integer({ min: 0, max: 99 }).map((value) => ({ text: `+${String(value).padStart(3, '0')}`, value })),
  fc.constantFrom({ text: '-0', value: 0 }, { text: '0000000000', value: 0 }, { text: '-0000000007', value: -7 }),
);
const encodings = ['utf-8', 'utf-8 bom', 'utf-8 two boms', 'utf-16le', 'utf-16be', 'windows-1251', 'windows-1252'] as const;

/** Files that are good: any separator, quoting, line end, order of columns, blank lines, encoding. */
export const shipmentFile: fc.Arbitrary<ShipmentFile> = fc.record({
  separator: fc.constantFrom(',', ';', '\t', '|'),
  declared: fc.boolean(),
  names: spelled,
  order: fc.constantFrom<number[]>([0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]),
  unnamed: fc.nat({ max: 2 }),
  headerEnd: lineEnds,
  tail: fc.constantFrom('', '\n', '\r\n', '\r', '\n\u001a', '\u001a', '\n\n'),
  encoding: fc.constantFrom(...encodings),
  rows: fc.array(fc.record({
    sku: fc.array(fc.constantFrom(...skuCharacters), { minLength: 1, maxLength: 12 }).map((characters) => `S${characters.join('')}E`),
    quantity,
    note: fc.array(fc.constantFrom(...noteCharacters), { maxLength: 8 }).map((characters) => characters.join('')),
    quoted: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    end: lineEnds,
    blank: fc.constantFrom(undefined, undefined, undefined, '', '   ', 'SEPARATOR', '"" SEPARATOR'),
  }), { minLength: 1, maxLength: 12 }),
}).map((plan) => render(plan.encoding, plan));

interface Plan {
  separator: string; declared: boolean; names: [string, string]; order: number[]; unnamed: number; headerEnd: string; tail: string;
  rows: { sku: string; quantity: { text: string; value: number }; note: string; quoted: [boolean, boolean, boolean]; end: string; blank: string | undefined }[];
}

function render(encoding: (typeof encodings)[number], plan: Plan): ShipmentFile {
  const codePage = encoding.startsWith('windows') ? encoding : undefined;
  const fitting = (text: string): string => (codePage === undefined ? text : iconv.decode(iconv.encode(text, codePage), codePage));
  const { separator } = plan;
  const unnamed = separator.repeat(plan.unnamed);
  const needsQuotes = (text: string): boolean => [separator, '"', '\n', '\r'].some((special) => text.includes(special));
  const cell = (text: string, quoted: boolean): string => (quoted || needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lineOf = (cells: string[]): string => plan.order.map((column) => cells[column]).join(separator) + unnamed;
  let text = plan.declared || separator === '|' ? `sep=${separator}${plan.headerEnd}` : '';
  text += lineOf([...plan.names, 'note; of, it'].map((name) => cell(name, needsQuotes(name) || name.includes('note')))) + plan.headerEnd;
  const rows: ShipmentRow[] = [];
  let zeroRows = 0;
  plan.rows.forEach((row, index) => {
    const sku = fitting(row.sku);
    // A CR at the end of what is written so far is not one line end with the LF of a blank line that follows.
    if (row.blank !== undefined) text += (row.blank.replace('SEPARATOR', separator) || ' ').replace('"" ', '""') + row.end;
    if (row.quantity.value === 0) zeroRows += 1;
    rows.push({ line: 1 + (text.match(/\r\n|\n|\r/g)?.length ?? 0), sku, quantity: row.quantity.value });
    const cells = [cell(sku, row.quoted[0]), cell(row.quantity.text, row.quoted[1]), cell(fitting(row.note), row.quoted[2])];
    text += lineOf(cells) + (index === plan.rows.length - 1 ? plan.tail : row.end);
  });
  return { bytes: encode(encoding, text), charset: codePage === 'windows-1251' || codePage === 'windows-1252' ? codePage : undefined, separator, rows, zeroRows };
}

function encode(encoding: (typeof encodings)[number], text: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-8 bom') return Buffer.from(`\ufeff${text}`);
  if (encoding === 'utf-8 two boms') return Buffer.from(`\ufeff\ufeff${text}`);
  if (encoding === 'utf-16le') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return iconv.encode(text, encoding);
}

/** The same bytes in chunks of any size, empty ones included. */
export const chunked = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
};
