-- The apply as one call, so that the server ends it whether or not the client is still there: no pause of a worker can hold a lock. Of this session, so
-- that it is always the one of this build, and needs no migration. Called by import-run.ts.
-- Verdict: applied | already_applied | refused | lost | unknown; stock_faults: up to 100 {code, line, sku, in_stock, change}, and how many there are; `record`: the journal's row.
create function pg_temp.apply_import(the_namespace text, the_import text, the_generation integer, the_fence bigint, the_token_digest bytea, the_zero_rows bigint, the_units_in bigint)
returns table (verdict text, stock_faults jsonb, stock_fault_count bigint, record public.imports) language plpgsql as $$
#variable_conflict use_column
declare
  batch public.imports;
  done public.applied_batches;
  -- Read once the row is locked, as the clock went on during the wait.
  at_time timestamptz;
  totals record;
  the_catalogue bigint;
  expires timestamptz;
begin
  -- Each statement of this function sees what was committed before it: whatever is judged below is judged behind this lock.
  select * into batch from public.imports where namespace = the_namespace and import_id = the_import for update;
  if not found then
    return query select 'unknown', null::jsonb, 0::bigint, null::public.imports;
    return;
  end if;
  at_time := clock_timestamp();
  select * into done from public.applied_batches where namespace = the_namespace and import_id = the_import;
  if done.generation = the_generation or (done.generation is null and batch.state = 'applied' and batch.generation = the_generation) then
    return query select 'already_applied', null::jsonb, 0::bigint, batch;
    return;
  end if;
  if done.generation is not null or batch.state <> 'accepted' or batch.generation <> the_generation or batch.fence <> the_fence or batch.token_digest is distinct from the_token_digest then
    return query select 'lost', null::jsonb, 0::bigint, batch;
    return;
  end if;

  begin
    insert into public.stock_moves (namespace, import_id, generation, sku, quantity, line, row_count, apply_time)
    select the_namespace, the_import, the_generation, sku, quantity, line, row_count, at_time from pg_temp.import_net where quantity <> 0;
    if not exists (select from pg_temp.import_net where quantity < 0) then
      insert into public.stock as s (namespace, sku, quantity, update_time)
      select the_namespace, sku, quantity, at_time from pg_temp.import_net where quantity <> 0 order by sku
      on conflict (namespace, sku) do update set quantity = s.quantity + excluded.quantity, update_time = excluded.update_time;
    else
      -- Taking from stock: each row is locked before any is judged, a new one made, all in the one order. A row that is proposed may not be below 0, so it is 0,
      -- and where false leaves a known row as it is, locked.
      insert into public.stock as s (namespace, sku, quantity, update_time)
      select the_namespace, sku, 0, at_time from pg_temp.import_net where quantity <> 0 order by sku
      on conflict (namespace, sku) do update set quantity = s.quantity where false;
      select count(*), jsonb_agg(jsonb_build_object('code', 'NEGATIVE_STOCK', 'line', f.line, 'sku', f.sku, 'in_stock', f.in_stock::text, 'change', f.change::text) order by f.place) filter (where f.place <= 100)
      into stock_fault_count, stock_faults
      from (
        select n.line, n.sku, s.quantity as in_stock, n.quantity as change, row_number() over (order by n.line) as place
        from pg_temp.import_net n join public.stock s on s.namespace = the_namespace and s.sku = n.sku
        where n.quantity < 0 and s.quantity + n.quantity < 0
      ) f;
      if stock_fault_count > 0 then
        raise exception using errcode = 'LH001', message = 'stock would fall below 0';
      end if;
      update public.stock s set quantity = s.quantity + n.quantity, update_time = at_time
      from pg_temp.import_net n where n.quantity <> 0 and s.namespace = the_namespace and s.sku = n.sku;
    end if;
  exception
    -- Rolled back to where the block began: moves and new rows are gone.
    when sqlstate 'LH001' then
      return query select 'refused', stock_faults, stock_fault_count, batch;
      return;
    when numeric_value_out_of_range then
      select count(*), jsonb_agg(jsonb_build_object('code', 'LIMIT', 'line', f.line, 'sku', f.sku, 'in_stock', f.in_stock::text, 'change', f.change::text) order by f.place) filter (where f.place <= 100)
      into stock_fault_count, stock_faults
      from (
        select n.line, n.sku, s.quantity as in_stock, n.quantity as change, row_number() over (order by n.line) as place
        from pg_temp.import_net n join public.stock s on s.namespace = the_namespace and s.sku = n.sku
        where s.quantity::numeric + n.quantity > 9223372036854775807
      ) f;
      return query select 'refused', coalesce(stock_faults, '[]'), stock_fault_count, batch;
      return;
  end;

  -- Last of all locks: applies of one namespace wait for each other here only, and only for the commit.
  insert into public.catalogues as c (namespace, generation, tag, update_time) values (the_namespace, 1, gen_random_uuid(), at_time)
  on conflict (namespace) do update set generation = c.generation + 1, tag = excluded.tag, update_time = excluded.update_time
  returning c.generation into the_catalogue;
  select coalesce(sum(row_count), 0)::bigint as rows, count(*) as skus, the_units_in - coalesce(sum(quantity), 0)::bigint as units_out
  into totals from pg_temp.import_net;
  select at_time + t.term into expires from public.idempotency_terms t where t.namespace in (the_namespace, '') order by t.namespace desc limit 1;
  insert into public.applied_batches (namespace, import_id, generation, content_digest, fence, apply_time, rows, zero_rows, skus, duplicate_rows, units_in, units_out, catalogue_generation, expire_time)
  values (the_namespace, the_import, the_generation, batch.content_digest, the_fence, at_time,
      totals.rows, the_zero_rows, totals.skus, totals.rows - totals.skus, the_units_in, totals.units_out, the_catalogue, expires);
  update public.imports i
  set state = 'applied', revision = i.revision + 1, update_time = at_time, end_time = at_time, ended_by = 'run', idempotency_expire_time = expires,
      rows = totals.rows, zero_rows = the_zero_rows, skus = totals.skus, duplicate_rows = totals.rows - totals.skus,
      units_in = the_units_in, units_out = totals.units_out, catalogue_generation = the_catalogue
  where i.namespace = the_namespace and i.import_id = the_import
  returning i.* into batch;
  return query select 'applied', null::jsonb, 0::bigint, batch;
end
$$
