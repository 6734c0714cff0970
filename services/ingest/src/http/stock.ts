import { GetStockResponse, ListStockResponse } from '@leasehold/ingest-v1';
import { admit } from '@leasehold/rpc';
import type { FastifyPluginAsync } from 'fastify';
import { stockAccess } from '../access/stock-access.js';
import { getStock, listStock, type StockParts } from '../stock/read-stock.js';
import { callerOf, numberIn, textIn } from './edge.js';

/** `GET /v1/{parent}/stock` lists stock page by page; `GET /v1/{parent}/stock:get?skus=A&skus=B` looks some SKUs up; both in the default warehouse, or with `warehouse=north` in another. In proto3's JSON. */
export const stockRoutes = (parts: StockParts): FastifyPluginAsync => async (app) => {
  app.get('/v1/namespaces/:namespace/stock', async (request, reply) => {
    const { query } = request;
    const list = { parent: parentIn(request.params), pageSize: numberIn(query, 'page_size'), pageToken: textIn(query, 'page_token'), skuPrefix: textIn(query, 'sku_prefix'), warehouse: textIn(query, 'warehouse') };
    await admit(stockAccess.listStock, list, callerOf(request));
    return reply.header('cache-control', 'no-store').send(ListStockResponse.toJSON(await listStock(parts, list)));
  });

  app.get('/v1/namespaces/:namespace/stock::get', async (request, reply) => {
    const wanted = { parent: parentIn(request.params), skus: skusIn(request.query), warehouse: textIn(request.query, 'warehouse') };
    await admit(stockAccess.getStock, wanted, callerOf(request));
    return reply.header('cache-control', 'no-store').send(GetStockResponse.toJSON(await getStock(parts, wanted)));
  });
};

const parentIn = (params: unknown): string => `namespaces/${textIn(params, 'namespace')}`;

/** `skus`, as often as there are some. */
function skusIn(query: unknown): string[] {
  const value: unknown = typeof query === 'object' && query !== null ? Object.entries(query).find(([name]) => name === 'skus')?.[1] : undefined;
  const given: unknown[] = Array.isArray(value) ? value : [value];
  return given.filter((sku) => typeof sku === 'string');
}
