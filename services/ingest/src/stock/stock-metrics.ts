import { Counter, type Registry } from 'prom-client';

/** The figures of stock reads. README.md says what each means. */
export class StockMetrics {
  readonly cache: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.cache = new Counter({ name: 'leasehold_stock_cache_total', help: 'Looks into the stock cache: hit, miss, or fault (Redis away or slow; PostgreSQL answered).', labelNames: ['outcome'], registers: [registry] });
  }
}
