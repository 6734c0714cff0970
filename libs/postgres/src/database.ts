import pg from 'pg';
import type { Component, Logger, Readiness } from '@leasehold/service';
import { isRetryable } from './sqlstate.js';
import type { Statement } from './statement.js';

export interface PoolOptions {
  /** A `postgresql://` URL. A secret: never logged. */
  readonly connectionString: string;
  /** Shown in pg_stat_activity, at most 63 bytes. */
  readonly applicationName: string;
  /** Connections at most, 1 to 100; default 8. */
  readonly max?: number;
  /** A statement is cancelled after this many ms; default 10 000. */
  readonly statementTimeoutMs?: number;
  /** A statement that waits longer than this many ms for a lock fails; default 5 000. */
  readonly lockTimeoutMs?: number;
  /** A transaction that sits idle for this many ms loses its connection; default 10 000. */
  readonly idleInTransactionTimeoutMs?: number;
  /** Waiting this many ms for a connection fails, so that an exhausted pool is an error and not a hang; default 5 000. */
  readonly connectTimeoutMs?: number;
  readonly logger: Logger;
}

const deadlockAttempts = 5;

/** One transaction under way. Its statements run one after another on one connection. */
export interface Transaction {
  query<R extends object>(statement: Statement, params: readonly unknown[]): Promise<R[]>;
}

// int8 as bigint: fences and ids lose digits as numbers. Everything else as pg has it (timestamptz Date, bytea Buffer).
const int8 = 20;
const int8Array = 1016;
const toBigInt = (text: string): bigint => BigInt(text);
const parseInt8Array = (text: string): bigint[] => (text === '{}' ? [] : text.slice(1, -1).split(',').map(toBigInt));
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === int8) return toBigInt;
    if (format !== 'binary' && oid === int8Array) return parseInt8Array;
    return pg.types.getTypeParser(oid, format);
  },
};

/** A pool of connections to one database, with bounds on every wait. */
export class Database implements Component {
  readonly name: string;
  readonly pool: pg.Pool;
  #ended: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.name = `postgres ${options.applicationName}`;
    this.pool = new pg.Pool({
      connectionString: options.connectionString,
      application_name: options.applicationName,
      max: options.max ?? 8,
      statement_timeout: options.statementTimeoutMs ?? 10_000,
      lock_timeout: options.lockTimeoutMs ?? 5_000,
      idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      keepAlive: true,
      types,
    });
    // On each connection: the pool listens only to idle ones, and a connection that breaks between two statements of a transaction would end the process.
    this.pool.on('connect', (client) => {
      client.on('error', (error) => options.logger.warn({ event: 'postgres_connection_lost', reason: error.message }, 'a connection was lost'));
    });
    // The pool replaces an idle connection that breaks (a restart of the server), and says so here a second time.
    this.pool.on('error', () => undefined);
  }

  /** Fails with the server's error when the database cannot be reached. */
  async start(): Promise<void> {
    await this.pool.query('select 1');
  }

  async stop(): Promise<void> {
    this.#ended ??= this.pool.end();
    await this.#ended;
  }

  /** Runs one statement in a transaction of its own. Errors are the server's, with their SQLSTATE in `code`. */
  async query<R extends object>(statement: Statement, params: readonly unknown[]): Promise<R[]> {
    const result = await this.pool.query<R>({ name: statement.name, text: statement.text, values: [...params] });
    return result.rows;
  }

  /**
   * Runs `work` in one READ COMMITTED transaction, repeated from its start on a deadlock or a serialization failure, at most
   * 5 times. `work` must have no effect outside the transaction.
   */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(work);
      } catch (error) {
        if (!isRetryable(error) || attempt >= deadlockAttempts) throw error;
      }
    }
  }

  async #once<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const value = await work({
        query: async <R extends object>(statement: Statement, params: readonly unknown[]) =>
          (await client.query<R>({ name: statement.name, text: statement.text, values: [...params] })).rows,
      });
      await client.query('commit');
      return value;
    } catch (error) {
      await client.query('rollback').catch((cause: unknown) => {
        // The connection is in an unknown state: the pool must not hand it out again.
        broken = cause instanceof Error ? cause : new Error(String(cause));
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Whether the database answers. */
  async check(): Promise<Readiness> {
    try {
      await this.pool.query('select 1');
      return { name: this.name, ok: true };
    } catch (error) {
      return { name: this.name, ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** A pool of connections; nothing is opened before the first statement. */
export const createPool = (options: PoolOptions): Database => new Database(options);
