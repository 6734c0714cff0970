import { Readable } from 'node:stream';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateFileRequest, type File, FileServiceService, type Import, ImportServiceService, ImportSpec, StockServiceService } from '@leasehold/ingest-v1';
import { ImageResult } from '@leasehold/jobs-image-v1';
import { ImageResult as ImageResultV2 } from '@leasehold/jobs-image-v2';
import { openEmbeddedStore, type EmbeddedStore, type ObjectStore } from '@leasehold/object-store';
import { createPool, Listener, Notifier, type Database } from '@leasehold/postgres';
import { QueueServiceService } from '@leasehold/queue-v1';
import { CallerLimiter, createClient, defaultCallerLimits, GrpcServer, readImage, type ClientOf } from '@leasehold/rpc';
import { createLogger, OpsServer, type Component, type Logger } from '@leasehold/service';
import { defaultLimits, readShipment } from '@leasehold/shipment-csv';
import { Ledger, type Applied, type Refusal, type RunIdentity } from '@leasehold/stock-ledger';
import { testDatabase, type TestDatabase } from '@leasehold/test-stack';
import { Registry } from 'prom-client';
import { readConfig, type IngestConfig } from '../config.js';
import type { ImageContracts } from '../contract/image-contracts.js';
import type { ImportContracts } from '../contract/import-contracts.js';
import { channel } from '../watch/changes.js';
import { fileService } from '../files/rpc.js';
import { callerRoutes } from '../http/edge.js';
import { fileRoutes } from '../http/files.js';
import { importRoutes } from '../http/imports.js';
import { objectRoutes, objectsPath } from '../http/objects.js';
import { stockRoutes } from '../http/stock.js';
import { parseImportName } from '../imports/resource-name.js';
import { importService } from '../imports/rpc.js';
import { stockService } from '../stock/rpc.js';
import { wire, type DutyName, type Ingest } from '../wiring.js';
import { ScriptedCoordinator } from './scripted-coordinator.fixture.js';
import { asService, prepare } from './service-role.fixture.js';

const never = new AbortController().signal;
const silent = createLogger({ service: 'ingest-test', level: 'silent' });
export const secret = 'a secret of the tests of 32 bytes or more';
const column = 'expire_time confirm_time queue_time delete_time outcome_time cancel_confirmed_at sweep_due sweep_made_due relay_due relayed_at cancel_due'.split(' ');

/** One database, one store, one coordinator, and any number of ingests on them. */
export class World {
  readonly database: TestDatabase;
  readonly store: EmbeddedStore;
  readonly coordinator: ScriptedCoordinator;
  readonly db: Database;
  /** As a worker uses it. */
  readonly ledger: Ledger;
  /** Where the object store lies. */
  readonly directory: string;
  readonly #running: Running[] = [];

  private constructor(database: TestDatabase, store: EmbeddedStore, coordinator: ScriptedCoordinator, directory: string) {
    this.database = database;
    this.store = store;
    this.coordinator = coordinator;
    this.directory = directory;
    this.db = createPool({ connectionString: database.connectionString, applicationName: 'test', max: 4, logger: silent });
    this.ledger = new Ledger(this.db);
  }

  static async make(): Promise<World> {
    const directory = await mkdtemp(join(tmpdir(), 'leasehold-ingest-'));
    const [database, store, coordinator] = await Promise.all([
      testDatabase({ template: { name: 'records', prepare } }),
      openEmbeddedStore({ directory, signing: { secrets: [secret], baseUrl: 'http://127.0.0.1:1/objects' } }),
      ScriptedCoordinator.start(),
    ]);
    return new World(database, store, coordinator, directory);
  }

  /** An ingest with real servers and clients, whose duties run when a test says so. */
  async ingest(o: IngestOptions = {}): Promise<Running> {
    const running = await Running.start(this, o);
    this.#running.push(running);
    return running;
  }

  async end(): Promise<void> {
    for (const running of this.#running) await running.stop();
    await this.coordinator.stop();
    await this.db.stop();
    await this.database.drop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Makes everything that has happened to a card lie further back. */
  async age(file: File | string, ms: number): Promise<void> {
    const [, namespace, , fileId] = (typeof file === 'string' ? file : file.name).split('/');
    const sets = column.map((name) => `${name} = ${name} - $3 * interval '1 millisecond'`).join(', ');
    await this.db.pool.query(`update files set ${sets} where namespace = $1 and file_id = $2`, [namespace, fileId, ms]);
  }

  /** Makes everything that has happened to an import lie further back. */
  async ageImport(name: string, ms: number): Promise<void> {
    const { namespace, importId } = importIdOf(name);
    const moved = (columns: string): string => columns.split(' ').map((column) => `${column} = ${column} - $3 * interval '1 millisecond'`).join(', ');
    await this.db.pool.query(`update imports set ${moved('create_time update_time accept_time begin_time end_time')} where namespace = $1 and import_id = $2`, [namespace, importId, ms]);
    await this.db.pool.query(`update import_jobs set ${moved('queue_time relay_due relayed_at cancel_time cancel_due')} where namespace = $1 and import_id = $2`, [namespace, importId, ms]);
  }

  /** What ingest owes the coordinator for an import; undefined: nothing. */
  async owed(name: string): Promise<Record<string, unknown> | undefined> {
    const { namespace, importId } = importIdOf(name);
    return (await this.db.pool.query<Record<string, unknown>>('select * from import_jobs where namespace = $1 and import_id = $2', [namespace, importId])).rows[0];
  }

  /** A worker whose lease of the import's job has that fence begins its run. */
  async begin(name: string, fence: bigint, generation = 1): Promise<RunIdentity> {
    const run = { ...importIdOf(name), generation, fence, tokenDigest: sha256(Buffer.from(`token ${fence}`)) };
    await this.ledger.begin(run);
    return run;
  }

  /** That worker applies rows; the job is still to be settled. */
  async apply(name: string, fence: bigint, rows: readonly (readonly [sku: string, quantity: number])[] = [['A', 1]], generation = 1): Promise<Applied> {
    const opened = await this.ledger.openRun(await this.begin(name, fence, generation));
    try {
      await opened.copyRows([rows.map(([sku, quantity], i) => ({ line: i + 2, sku, quantity }))]);
      return await opened.apply(() => 60_000);
    } finally {
      opened.close();
    }
  }

  /** That worker reads a file and applies it, as the import was submitted. */
  async applyFile(name: string, fence: bigint, file: string): Promise<Applied> {
    const run = await this.begin(name, fence);
    const { mode, layout } = present(await this.ledger.find(run));
    const read = readShipment(Readable.from([Buffer.from(file)]), { limits: defaultLimits, layout, partial: mode === 'partial' });
    const opened = await this.ledger.openRun(run, { mode, layout });
    try {
      await opened.copyText(read.copyText);
      return await opened.apply(() => 60_000, read.report());
    } finally {
      opened.close();
    }
  }

  /** That worker refuses the file. */
  async reject(name: string, fence: bigint, refusal: Partial<Refusal> = {}, generation = 1): Promise<void> {
    await this.ledger.reject(await this.begin(name, fence, generation), { reason: 'QUANTITY', faultCount: 1, faults: [{ line: 2, column: 'quantity', code: 'QUANTITY', message: 'write a whole number' }], ...refusal });
  }

  /** Sum of what an import moved, however often. */
  async moved(name: string): Promise<bigint> {
    const { namespace, importId } = importIdOf(name);
    const { rows } = await this.db.pool.query<{ moved: bigint }>('select coalesce(sum(quantity), 0)::bigint as moved from all_stock_moves where namespace = $1 and import_id = $2', [namespace, importId]);
    return rows[0]?.moved ?? 0n;
  }

  async row(name: string): Promise<Record<string, unknown>> {
    const [, namespace, , fileId] = name.split('/');
    const { rows } = await this.db.pool.query<Record<string, unknown>>('select * from files where namespace = $1 and file_id = $2', [namespace, fileId]);
    return rows[0] ?? {};
  }

  /** Every key and version in the store. */
  async keys(prefix = ''): Promise<string[]> {
    const keys: string[] = [];
    for await (const object of this.store.listVersions(prefix)) keys.push(object.key);
    return keys;
  }

  /** As `render`, of several renditions and a placeholder, in the words of version 2. */
  async renderSeveral(file: string, fence: bigint, names: readonly string[], withPlaceholder = true): Promise<Buffer> {
    const [, namespace, , fileId] = file.split('/');
    const renditions = [];
    for (const name of names) {
      const stored = await this.store.put(`renditions/${namespace}/${fileId}/${fence}/${name}.webp`, one(Buffer.from(`${name} ${fence}`)), { contentType: 'image/webp' });
      renditions.push({ name, key: stored.key, versionId: stored.versionId, sha256: stored.sha256, sizeBytes: BigInt(stored.sizeBytes), width: 160, height: 90, contentType: 'image/webp', frames: 1 });
    }
    const placeholder = withPlaceholder ? { webp: Buffer.from('tiny'), width: 32, height: 18 } : undefined;
    return Buffer.from(ImageResultV2.encode(ImageResultV2.create({ renditions, placeholder, source: { format: 'jpeg', width: 1600, height: 900, pages: 1 } })).finish());
  }

  /** Stores a rendition as a worker under that fence does, and says so in the contract's words. */
  async render(file: string, fence: bigint, bytes: Buffer = Buffer.from(`webp ${fence}`), store: ObjectStore = this.store): Promise<Buffer> {
    const [, namespace, , fileId] = file.split('/');
    const stored = await store.put(`renditions/${namespace}/${fileId}/${fence}/photo.webp`, one(bytes), { contentType: 'image/webp' });
    return Buffer.from(ImageResult.encode(ImageResult.create({
      rendition: { key: stored.key, versionId: stored.versionId, sha256: stored.sha256, sizeBytes: BigInt(stored.sizeBytes), width: 160, height: 90, contentType: 'image/webp' },
      source: { format: 'jpeg', width: 1600, height: 900, pages: 1 },
    })).finish());
  }
}

export interface IngestOptions {
  readonly env?: Record<string, string>;
  readonly contracts?: ImageContracts;
  readonly importContracts?: ImportContracts;
  readonly store?: ObjectStore;
  readonly logger?: Logger;
}

interface Clients {
  readonly files: ClientOf<typeof FileServiceService>;
  readonly imports: ClientOf<typeof ImportServiceService>;
  readonly stock: ClientOf<typeof StockServiceService>;
}

/** One ingest: the parts as in production, on ports of their own. */
export class Running {
  readonly ingest: Ingest;
  readonly registry: Registry;
  /** Of files. */
  readonly client: ClientOf<typeof FileServiceService>;
  readonly imports: ClientOf<typeof ImportServiceService>;
  readonly stock: ClientOf<typeof StockServiceService>;
  readonly http: string;
  readonly wakes: DutyName[];
  readonly #components: readonly Component[];

  private constructor(o: { ingest: Ingest; registry: Registry; clients: Clients; http: string; wakes: DutyName[]; components: readonly Component[] }) {
    this.ingest = o.ingest;
    this.registry = o.registry;
    this.client = o.clients.files;
    this.imports = o.clients.imports;
    this.stock = o.clients.stock;
    this.http = o.http;
    this.wakes = o.wakes;
    this.#components = o.components;
  }

  static async start(world: World, o: IngestOptions): Promise<Running> {
    const registry = new Registry();
    const read = configOf(world, o.env ?? {});
    const config = { ...read, contracts: { image: o.contracts ?? read.contracts.image, import: o.importContracts ?? read.contracts.import } };
    const { directory } = world;
    const db = createPool({ connectionString: config.database.url, applicationName: 'ingest test', max: config.database.connections, logger: silent });
    const queue = createClient(QueueServiceService, config.coordinator.addresses, { defaultTimeoutMs: config.coordinator.timeoutMs });
    const notifier = new Notifier(db, channel, { logger: silent });
    const wakes: DutyName[] = [];
    const http = new OpsServer({ ...config.http, registry, readiness: async () => [], logger: silent });
    const logger = o.logger ?? silent;
    const store = o.store ?? await openEmbeddedStore({ directory, signing: { secrets: [secret], baseUrl: config.http.publicUrl + objectsPath } });
    const ingest = wire({
      config, logger, registry, db, store, queue, producer: { name: `ingest-test/${randomUUID()}`, build: 'ingest-test' },
      tell: (word) => notifier.notify(word),
      wake: (duty) => wakes.push(duty),
    });
    const routes = [fileRoutes(ingest.files), importRoutes(ingest.imports), stockRoutes(ingest.stock)];
    http.register(callerRoutes({ logger, callers: new CallerLimiter(defaultCallerLimits) }, routes)).register(objectRoutes({ store, secrets: [secret], logger: silent }));
    const grpc = new GrpcServer({
      host: '127.0.0.1', port: 0, logger: silent, registry, services: [fileService(ingest.files), importService(ingest.imports), stockService(ingest.stock)],
      images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))], maxReceiveBytes: 2 * 1024 * 1024,
    });
    const listener = new Listener({
      connectionString: config.database.url, applicationName: 'ingest test listener', channels: [channel], logger: silent,
      onNotify: (_channel, payload) => ingest.changes.heard(payload), onReopen: () => ingest.changes.wakeAll(),
    });
    const cache: Component[] = ingest.stockCache === undefined ? [] : [ingest.stockCache];
    const components: Component[] = [db, ...cache, { name: 'queue', start: async () => undefined, stop: async () => queue.close() }, listener, http, grpc];
    for (const component of components) await component.start();
    const clients = { files: createClient(FileServiceService, grpc.address), imports: createClient(ImportServiceService, grpc.address), stock: createClient(StockServiceService, grpc.address) };
    return new Running({ ingest, registry, clients, http: `http://${http.address}`, wakes, components });
  }

  run(duty: DutyName): Promise<number> {
    return this.ingest.duties[duty](never);
  }

  async stop(): Promise<void> {
    for (const client of [this.client, this.imports, this.stock]) client.close();
    for (const component of this.#components.toReversed()) await component.stop(AbortSignal.timeout(2_000));
  }

  async metric(name: string, labels: Record<string, string> = {}): Promise<number> {
    const metric = (await this.registry.getMetricsAsJSON()).find((candidate) => candidate.name === name);
    const values: readonly { labels: object; value: number }[] = metric?.values ?? [];
    return values.filter((value) => Object.entries(labels).every(([key, label]) => Object.entries(value.labels).some(([k, v]) => k === key && v === label))).reduce((sum, value) => sum + value.value, 0);
  }

  /** A PENDING card of its own. */
  async created(fileId: string = randomUUID(), parent = 'namespaces/team-a', asked: Partial<CreateFileRequest> = {}): Promise<File> {
    const { file } = await this.client.createFile(CreateFileRequest.create({ parent, fileId, ...asked }));
    return present(file);
  }

  async upload(file: File, bytes: Buffer = Buffer.from(`photo ${file.name}`)): Promise<{ versionId: string; sizeBytes: bigint; sha256: Buffer }> {
    return this.client.uploadFile(uploadOf(file.name, bytes));
  }

  confirm(file: File, versionId: string): Promise<File> {
    return this.client.confirmFile({ name: file.name, versionId, sizeBytes: 0n, sha256: Buffer.alloc(0) }).then((answer) => present(answer.file));
  }

  /** A QUEUED card that the coordinator has. */
  async relayed(fileId?: string): Promise<{ file: File; job: string }> {
    const { file, job } = await this.queued(fileId);
    await this.run('relay');
    return { file, job };
  }

  async queued(fileId?: string): Promise<{ file: File; job: string }> {
    const created = await this.created(fileId);
    const { versionId } = await this.upload(created);
    const file = await this.confirm(created, versionId);
    return { file, job: jobOf(file) };
  }

  /** Hands a shipment over. */
  async submit(importId: string = randomUUID(), body: string | readonly Buffer[] = shipment, spec: Partial<ImportSpec> = {}): Promise<Import> {
    return present((await this.imports.submitImport(submissionOf({ importId, ...spec }, typeof body === 'string' ? [Buffer.from(body)] : body))).import);
  }

  /** An ACCEPTED import that the coordinator has. */
  async submitted(importId?: string, body?: string): Promise<{ name: string; job: string }> {
    const { name, generation } = await this.submit(importId, body);
    await this.run('import-relay');
    return { name, job: importJobOf(name, generation) };
  }

  async import(name: string): Promise<Import> {
    return present((await this.imports.getImport({ name })).import);
  }

  async get(file: File | string): Promise<File> {
    return present((await this.client.getFile({ name: typeof file === 'string' ? file : file.name })).file);
  }
}

function configOf(world: World, env: Record<string, string>): IngestConfig {
  return readConfig({
    LEASEHOLD_HTTP_PORT: String(env['LEASEHOLD_HTTP_PORT'] ?? 0),
    LEASEHOLD_RECORDS_DATABASE_URL: asService(world.database.connectionString),
    LEASEHOLD_DATABASE_CONNECTIONS: '6',
    LEASEHOLD_COORDINATORS: world.coordinator.address,
    LEASEHOLD_STORE: world.directory,
    LEASEHOLD_SIGNING_SECRET: secret,
    LEASEHOLD_PUBLIC_URL: 'http://127.0.0.1:1',
    LEASEHOLD_OUTCOMES_WAIT: '0ms',
    LEASEHOLD_WATCH_PROGRESS_EVERY: '20ms',
    LEASEHOLD_PROGRESS_TIMEOUT: '1s',
    ...env,
  });
}

export const jobOf = (file: File): string => {
  const [, namespace, , fileId] = file.name.split('/');
  return `namespaces/${namespace}/kinds/image/jobs/${fileId}.${file.generation}`;
};

/** Two rows of one SKU that come to 5. */
export const shipment = 'sku,quantity\nA,2\nA,3\n';

export const importJobOf = (name: string, generation = 1): string => {
  const { namespace, importId } = importIdOf(name);
  return `namespaces/${namespace}/kinds/import/jobs/${importId}.${generation}`;
};

const importIdOf = (name: string): { namespace: string; importId: string } => present(parseImportName(name));

export async function* submissionOf(spec: Partial<ImportSpec>, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<{ part: { $case: 'spec'; value: ImportSpec } | { $case: 'chunk'; value: Buffer } }> {
  yield { part: { $case: 'spec', value: ImportSpec.create({ parent: 'namespaces/team-a', ...spec }) } };
  for await (const value of chunks) yield { part: { $case: 'chunk', value } };
}

export async function* uploadOf(name: string, ...chunks: Buffer[]): AsyncGenerator<{ part: { $case: 'name'; value: string } | { $case: 'chunk'; value: Buffer } }> {
  yield { part: { $case: 'name', value: name } };
  for (const value of chunks) yield { part: { $case: 'chunk', value } };
}

export async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is missing');
  return value;
}
