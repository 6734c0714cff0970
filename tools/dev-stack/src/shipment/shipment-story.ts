import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, ImportRejectionReason, ImportsClient, ImportState, type Import } from '@leasehold/client';
import prettyBytes from 'pretty-bytes';
import { shownPath } from '../shown-path.js';
import { seconds, type Terminal } from '../terminal.js';
import { progressLines } from './progress-lines.js';
import { changed, sampleShipment } from './sample-shipment.js';
import { stockTable } from './stock-table.js';
import { isSame, stockOf } from './stock.js';

export interface ShipmentStory {
  /** `host:port` of ingest. */
  readonly ingest: string;
  /** Where the sample is put. */
  readonly samples: string;
  /** Who dispatches imports, for people. */
  readonly dispatcher: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** When it is, for the batch's id. */
  readonly now: Date;
}

/** Imports a sample shipment, then the same once more, then another file under its id. Answers whether all came out as promised; every word that is printed was heard from ingest. */
export async function shipmentStory(o: ShipmentStory): Promise<boolean> {
  const client = new ImportsClient({ address: o.ingest });
  try {
    return await told(client, o);
  } finally {
    client.close();
  }
}

async function told(client: ImportsClient, { samples, dispatcher, terminal, signal, now }: ShipmentStory): Promise<boolean> {
  const { colours } = terminal;
  const shipment = sampleShipment();
  const skus = [...shipment.gains.keys()];
  const path = join(samples, 'shipment.csv');
  await writeFile(path, shipment.csv);
  // A batch id is taken for ever, also over restarts: each start imports a batch of its own.
  const id = `sample-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
  const before = await stockOf(client, skus, signal);
  terminal.line(`  ${shownPath(path)}: ${count(shipment.rows)} rows, ${count(skus.length)} SKUs, ${prettyBytes(shipment.csv.length)}; batch ${id}; dispatched by ${dispatcher}`);

  const startedAt = performance.now();
  const accepted = await client.submit(id, shipment.csv, { signal });
  terminal.line(`  ${stateOf(accepted).padEnd(10)}  ${''.padEnd(9)}  ${seconds(performance.now() - startedAt).padStart(7)}  ${accepted.name}`);
  const ended = await watched(client, accepted, startedAt, terminal, signal);
  if (ended.state !== ImportState.APPLIED) {
    const { reason, explanation = '' } = ended.rejection ?? {};
    terminal.line(`  ${colours.red(`${stateOf(ended)} ${wordOf(ImportRejectionReason, reason ?? 0)}`)} ${explanation}`);
    return false;
  }
  const after = await stockOf(client, skus, signal);
  terminal.line();
  terminal.line(stockTable(before, after, shipment.gains, colours));
  terminal.line();

  const again = await client.submit(id, shipment.csv, { signal });
  const afterRepeat = await stockOf(client, skus, signal);
  const sameImport = again.name === ended.name && again.state === ImportState.APPLIED && again.etag === ended.etag;
  tell(terminal, 'the same once more', sameImport && isSame(after, afterRepeat), `${stateOf(again)}, ${sameImport ? 'the same import' : 'ANOTHER import'}; stock ${isSame(after, afterRepeat) ? 'unchanged' : 'CHANGED'} at generation ${afterRepeat.generation}`);

  const refusal = await refusalOf(() => client.submit(id, changed(shipment), { signal }));
  const afterRefusal = await stockOf(client, skus, signal);
  const refused = refusal?.reason === 'IMPORT_EXISTS';
  tell(terminal, 'another file, same id', refused && isSame(after, afterRefusal), refusal === undefined ? 'was TAKEN' : `refused with ${refusal.reason}; stock ${isSame(after, afterRefusal) ? 'unchanged' : 'CHANGED'}`);
  if (refusal !== undefined) terminal.line(`  ${' '.repeat(22)}  ${colours.dim(refusal.message)}`);

  const exact = skus.every((sku) => (after.quantities.get(sku) ?? 0n) - (before.quantities.get(sku) ?? 0n) === shipment.gains.get(sku));
  const once = exact && sameImport && refused && isSame(after, afterRepeat) && isSame(after, afterRefusal);
  terminal.line();
  terminal.line(once ? colours.green(`The shipment was applied once: every SKU has gained what the file says.`) : colours.red('The shipment was not applied exactly once.'));
  return once;
}

async function watched(client: ImportsClient, accepted: Import, startedAt: number, terminal: Terminal, signal: AbortSignal): Promise<Import> {
  const lines = progressLines();
  return client.waitUntilEnded(accepted.name, {
    signal,
    onChange: (now) => {
      const line = lines(now);
      if (line !== undefined) terminal.line(`  ${stateOf(now).padEnd(10)}  ${line.attempt.padEnd(9)}  ${seconds(performance.now() - startedAt).padStart(7)}  ${line.text}`);
    },
  });
}

const tell = (terminal: Terminal, what: string, good: boolean, text: string): void => terminal.line(`  ${what.padEnd(22)}  ${good ? text : terminal.colours.red(text)}`);

async function refusalOf(call: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const count = (n: number): string => n.toLocaleString('en');
const wordOf = (names: Readonly<Record<string, number | string>>, value: number): string => Object.entries(names).find(([, each]) => each === value)?.[0] ?? String(value);
const stateOf = ({ state }: Import): string => wordOf(ImportState, state);
