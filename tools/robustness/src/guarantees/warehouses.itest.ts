import { ImportLayout, ImportMode, ImportState } from '@leasehold/ingest-v1';
import { createPool, type Database } from '@leasehold/postgres';
import { createLogger } from '@leasehold/service';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ledgerFaults } from '../checks/ledger-books.js';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { csvOf, Shipments } from '../imports/shipments.js';

// Not how long it takes, but how long a machine that is busy with other things may take.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let fleet: Fleet;
let shipments: Shipments;
let ledger: Database;
beforeAll(async () => {
  const databases = await databasesOfTheRun();
  fleet = await Fleet.prepare({ databases });
  ledger = createPool({ connectionString: databases.records, applicationName: 'robustness', logger: createLogger({ service: 'robustness', level: 'fatal' }) });
  await Promise.all([fleet.start(), fleet.importWorker().start()]);
  shipments = new Shipments(fleet.ingestAddresses);
});
afterAll(async () => {
  shipments.close();
  await ledger.stop();
  await fleet.end();
});

const both = { mode: ImportMode.PARTIAL, layout: ImportLayout.WAREHOUSES };
const file = 'warehouse,sku,operation,quantity\nnorth,A,receive,5\n,A,,2\nnorth,A,adjust,-1\nsouth,A,set,4\nsouth,B,adjust,-1\nnorth,C,add,1\n';

test('V2: warehouses and partial batches are refused until import@2 is open; plain shipments are applied all along', async () => {
  await expect(shipments.submit('early', file, both)).rejects.toMatchObject({ reason: 'OPTIONS_NOT_OPEN' });
  await shipments.submit('plain', csvOf([['A', 1]]));
  expect(await shipments.final('plain')).toMatchObject({ state: ImportState.APPLIED, mode: ImportMode.ATOMIC, layout: ImportLayout.SINGLE });
});

test('V5: once it is open one worker applies both versions side by side, each batch once, and a plain shipment comes to the same by either', async () => {
  await fleet.queue.query("update contracts set state = 'open' where kind = 'import' and version = 2");
  await expect.poll(() => shipments.submit('parts', file, both).then(() => 'taken', () => 'refused'), { timeout: 30_000, interval: 500 }).toBe('taken');
  await shipments.submit('plain-2', csvOf([['A', 10]]));
  const [parts, plain] = await Promise.all([shipments.final('parts'), shipments.final('plain-2')]);
  expect(parts).toMatchObject({ state: ImportState.APPLIED, rowErrorCount: 2n, result: { rows: 6n, rejectedRows: 2n, warehouses: 3n, skus: 1n, unitsIn: 11n, unitsOut: 1n } });
  expect(plain).toMatchObject({ state: ImportState.APPLIED, result: { rows: 1n, rejectedRows: 0n, warehouses: 1n } });
  // Handed over again it is the same import.
  expect((await shipments.submit('parts', file, both)).etag).toBe(parts.etag);
  expect([await shipments.stock('A', 'B'), await shipments.stockIn('north', 'A', 'C'), await shipments.stockIn('south', 'A', 'B')]).toEqual([{ A: 13n }, { A: 4n }, { A: 4n }]);

  const versions = await fleet.queue.query<{ job_id: string; contract_version: number }>("select job_id, contract_version from finished_jobs where kind = 'import' order by job_id");
  expect(versions.rows.map(({ job_id: id, contract_version: version }) => `${id} ${version}`)).toEqual(['parts.1 2', 'plain-2.1 1', 'plain.1 1']);
  expect(await ledgerFaults(fleet, ledger)).toEqual([]);
});
