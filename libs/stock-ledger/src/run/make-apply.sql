-- The apply as one call, so that the server ends it whether or not the client is still there: no pause of a worker can hold a lock. Of this session, so
-- that it is always the one of this build, and needs no migration. Called by import-run.ts.
-- Verdict: applied | already_applied | refused | lost | unknown; stock_faults: up to 100 {code, line, warehouse, sku, set_to, in_stock, change}, and how many there are; `record`: the journal's
-- row; `options`: what it was submitted with beyond the usual.
create function pg_temp.apply_import(the_namespace text, the_import text, the_generation integer, the_fence bigint, the_token_digest bytea, the_mode text, the_layout text, the_zero_rows bigint, the_units_in bigint,
    file_lines bigint[], file_columns text[], file_codes text[], file_messages text[], file_fault_count bigint, file_rejected_rows bigint, the_words jsonb)
returns table (verdict text, stock_faults jsonb, stock_fault_count bigint, record public.imports, options public.import_options) language plpgsql as $$
#variable_conflict use_column
declare
  most constant numeric := 9223372036854775807;
  partial constant boolean := the_mode = 'partial';
  batch public.imports;
  done public.applied_batches;
  asked public.import_options;
  -- Read once the row is locked, as the clock went on during the wait.
  at_time timestamptz;
  -- Something is taken, so that it may be more than there is.
  taking boolean;
  -- What comes of each SKU must be worked out: something is set, or may be left out.
  careful boolean;
  elsewhere boolean;
  totals record;
  the_catalogue bigint;
  expires timestamptz;
begin
  -- Each statement of this function sees what was committed before it: whatever is judged below is judged behind this lock.
  select * into batch from public.imports where namespace = the_namespace and import_id = the_import for update;
  if not found then
    return query select 'unknown', null::jsonb, 0::bigint, null::public.imports, null::public.import_options;
    return;
  end if;
  at_time := clock_timestamp();
  select * into asked from public.import_options where namespace = the_namespace and import_id = the_import and content_digest = batch.content_digest;
  select * into done from public.applied_batches where namespace = the_namespace and import_id = the_import;
  if done.generation = the_generation or (done.generation is null and batch.state = 'applied' and batch.generation = the_generation) then
    return query select 'already_applied', null::jsonb, 0::bigint, batch, asked;
    return;
  end if;
  if done.generation is not null or batch.state <> 'accepted' or batch.generation <> the_generation or batch.fence <> the_fence or batch.token_digest is distinct from the_token_digest then
    return query select 'lost', null::jsonb, 0::bigint, batch, asked;
    return;
  end if;
  -- For the trigger on applied_batches, which refuses what was submitted otherwise.
  perform set_config('leasehold.applies', the_mode || ' ' || the_layout, true);

  taking := exists (select from pg_temp.import_net where quantity < 0);
  careful := partial or (the_layout = 'warehouses' and exists (select from pg_temp.import_net where set_to is not null));
  elsewhere := the_layout = 'warehouses' and exists (select from pg_temp.import_net where warehouse <> '');
  loop
    begin
      if not careful then
        insert into public.stock_moves (namespace, import_id, generation, sku, quantity, line, row_count, apply_time)
        select the_namespace, the_import, the_generation, sku, quantity, line, row_count, at_time from pg_temp.import_net where quantity <> 0 and warehouse = '';
        if elsewhere then
          insert into public.warehouse_moves (namespace, import_id, generation, warehouse, sku, quantity, line, row_count, apply_time)
          select the_namespace, the_import, the_generation, warehouse, sku, quantity, line, row_count, at_time from pg_temp.import_net where quantity <> 0 and warehouse <> '';
        end if;
      end if;
      if not careful and not taking then
        insert into public.stock as s (namespace, sku, quantity, update_time)
        select the_namespace, sku, quantity, at_time from pg_temp.import_net where quantity <> 0 and warehouse = '' order by sku
        on conflict (namespace, sku) do update set quantity = s.quantity + excluded.quantity, update_time = excluded.update_time;
        if elsewhere then
          insert into public.warehouse_stock as s (namespace, warehouse, sku, quantity, update_time)
          select the_namespace, warehouse, sku, quantity, at_time from pg_temp.import_net where quantity <> 0 and warehouse <> '' order by warehouse, sku
          on conflict (namespace, warehouse, sku) do update set quantity = s.quantity + excluded.quantity, update_time = excluded.update_time;
        end if;
        exit;
      end if;

      -- Each row is locked before any is judged, a new one made, all in the one order: the default warehouse, whose name is the least, then the others. A row that is proposed may not be below 0,
      -- so it is 0, and where false leaves a known row as it is, locked. Of what a partial batch leaves out in any case, for there is nothing to take it from, no row is made.
      insert into public.stock as s (namespace, sku, quantity, update_time)
      select the_namespace, n.sku, 0, at_time from pg_temp.import_net n
      where n.warehouse = '' and (n.quantity <> 0 or n.set_to is not null)
        and (not partial or coalesce(n.set_to, 0) + n.quantity >= 0 or (n.set_to is null and exists (select from public.stock k where k.namespace = the_namespace and k.sku = n.sku)))
      order by n.sku
      on conflict (namespace, sku) do update set quantity = s.quantity where false;
      if elsewhere then
        insert into public.warehouse_stock as s (namespace, warehouse, sku, quantity, update_time)
        select the_namespace, n.warehouse, n.sku, 0, at_time from pg_temp.import_net n
        where n.warehouse <> '' and (n.quantity <> 0 or n.set_to is not null)
          and (not partial or coalesce(n.set_to, 0) + n.quantity >= 0 or (n.set_to is null and exists (select from public.warehouse_stock k where k.namespace = the_namespace and k.warehouse = n.warehouse and k.sku = n.sku)))
        order by n.warehouse, n.sku
        on conflict (namespace, warehouse, sku) do update set quantity = s.quantity where false;
      end if;
      if not careful then
        -- Adds and takes, all of it or nothing: only what is taken needs a look.
        select count(*), jsonb_agg(jsonb_build_object('code', 'NEGATIVE_STOCK', 'line', f.line, 'warehouse', f.warehouse, 'sku', f.sku, 'set_to', null, 'in_stock', f.in_stock::text, 'change', f.change::text) order by f.place) filter (where f.place <= 100)
        into stock_fault_count, stock_faults
        from (
          select t.*, row_number() over (order by t.line) as place
          from (
            select n.line, n.warehouse, n.sku, s.quantity as in_stock, n.quantity as change
            from pg_temp.import_net n join public.stock s on s.namespace = the_namespace and s.sku = n.sku where n.warehouse = '' and n.quantity < 0
            union all
            select n.line, n.warehouse, n.sku, s.quantity, n.quantity
            from pg_temp.import_net n join public.warehouse_stock s on s.namespace = the_namespace and s.warehouse = n.warehouse and s.sku = n.sku where elsewhere and n.warehouse <> '' and n.quantity < 0
          ) t
          where t.in_stock + t.change < 0
        ) f;
        if stock_fault_count > 0 then
          raise exception using errcode = 'LH001', message = 'stock would fall below 0';
        end if;
        update public.stock s set quantity = s.quantity + n.quantity, update_time = at_time
        from pg_temp.import_net n where n.warehouse = '' and n.quantity <> 0 and s.namespace = the_namespace and s.sku = n.sku;
        if elsewhere then
          update public.warehouse_stock s set quantity = s.quantity + n.quantity, update_time = at_time
          from pg_temp.import_net n where n.warehouse <> '' and n.quantity <> 0 and s.namespace = the_namespace and s.warehouse = n.warehouse and s.sku = n.sku;
        end if;
        exit;
      end if;

      insert into pg_temp.import_outcome (warehouse, sku, set_to, quantity, line, row_count, zero_rows, units_in, in_stock, outcome)
      select n.warehouse, n.sku, n.set_to, n.quantity, n.line, n.row_count, n.zero_rows, n.units_in, coalesce(s.quantity, 0), coalesce(n.set_to, s.quantity, 0)::numeric + n.quantity
      from pg_temp.import_net n left join public.stock s on s.namespace = the_namespace and s.sku = n.sku where n.warehouse = '';
      if elsewhere then
        insert into pg_temp.import_outcome (warehouse, sku, set_to, quantity, line, row_count, zero_rows, units_in, in_stock, outcome)
        select n.warehouse, n.sku, n.set_to, n.quantity, n.line, n.row_count, n.zero_rows, n.units_in, coalesce(s.quantity, 0), coalesce(n.set_to, s.quantity, 0)::numeric + n.quantity
        from pg_temp.import_net n left join public.warehouse_stock s on s.namespace = the_namespace and s.warehouse = n.warehouse and s.sku = n.sku where n.warehouse <> '';
      end if;
      select count(*), jsonb_agg(jsonb_build_object('code', case when f.outcome < 0 then 'NEGATIVE_STOCK' else 'LIMIT' end, 'line', f.line, 'warehouse', f.warehouse, 'sku', f.sku,
          'set_to', f.set_to::text, 'in_stock', f.in_stock::text, 'change', f.quantity::text) order by f.place) filter (where f.place <= 100)
      into stock_fault_count, stock_faults
      from (select o.*, row_number() over (order by o.line) as place from pg_temp.import_outcome o where o.outcome < 0 or o.outcome > most) f;
      -- All or nothing; and a partial batch of which nothing is left is refused too, so that its id is free for a better file.
      if stock_fault_count > 0 and (not partial or not exists (select from pg_temp.import_outcome where outcome between 0 and most)) then
        raise exception using errcode = 'LH001', message = 'stock cannot take it';
      end if;

      insert into public.stock_moves (namespace, import_id, generation, sku, quantity, line, row_count, apply_time)
      select the_namespace, the_import, the_generation, sku, (outcome - in_stock)::bigint, line, row_count, at_time
      from pg_temp.import_outcome where warehouse = '' and outcome between 0 and most and outcome <> in_stock;
      update public.stock s set quantity = o.outcome::bigint, update_time = at_time
      from pg_temp.import_outcome o where o.warehouse = '' and o.outcome between 0 and most and o.outcome <> o.in_stock and s.namespace = the_namespace and s.sku = o.sku;
      if elsewhere then
        insert into public.warehouse_moves (namespace, import_id, generation, warehouse, sku, quantity, line, row_count, apply_time)
        select the_namespace, the_import, the_generation, warehouse, sku, (outcome - in_stock)::bigint, line, row_count, at_time
        from pg_temp.import_outcome where warehouse <> '' and outcome between 0 and most and outcome <> in_stock;
        update public.warehouse_stock s set quantity = o.outcome::bigint, update_time = at_time
        from pg_temp.import_outcome o where o.warehouse <> '' and o.outcome between 0 and most and o.outcome <> o.in_stock and s.namespace = the_namespace and s.warehouse = o.warehouse and s.sku = o.sku;
      end if;
      exit;
    exception
      -- Rolled back to where the block began: moves and new rows are gone.
      when sqlstate 'LH001' then
        return query select 'refused', stock_faults, stock_fault_count, batch, asked;
        return;
      when numeric_value_out_of_range then
        if careful then
          raise;
        end if;
        -- Again, so as to find out whose.
        careful := true;
    end;
  end loop;

  -- Last of all locks: applies of one namespace wait for each other here only, and only for the commit.
  insert into public.catalogues as c (namespace, generation, tag, update_time) values (the_namespace, 1, gen_random_uuid(), at_time)
  on conflict (namespace) do update set generation = c.generation + 1, tag = excluded.tag, update_time = excluded.update_time
  returning c.generation into the_catalogue;
  if careful then
    -- What a row that sets has brought or taken is its difference to the stock that was found.
    select t.rows, t.keys, t.skus, t.warehouses, coalesce(the_zero_rows, t.zero_rows) as zero_rows, t.units_in, least(t.units_in - t.moved, most)::bigint as units_out, t.left_out into totals
    from (
      select coalesce(sum(row_count) filter (where kept), 0)::bigint as rows, count(*) filter (where kept) as keys,
        case when elsewhere then count(distinct sku) filter (where kept) else count(*) filter (where kept) end as skus, case when elsewhere then count(distinct warehouse) filter (where kept) else least(count(*) filter (where kept), 1) end as warehouses,
        coalesce(sum(zero_rows) filter (where kept), 0)::bigint as zero_rows,
        coalesce(the_units_in, coalesce(sum(units_in + greatest(set_to - in_stock, 0)) filter (where kept and set_to is not null), 0) + coalesce(sum(units_in) filter (where kept and set_to is null), 0))::bigint as units_in,
        coalesce(sum(outcome - in_stock) filter (where kept), 0) as moved, coalesce(sum(row_count) filter (where not kept), 0)::bigint as left_out
      from (select o.*, o.outcome between 0 and most as kept from pg_temp.import_outcome o) o
    ) t;
  else
    select t.rows, t.keys, t.skus, t.warehouses, coalesce(the_zero_rows, t.zero_rows) as zero_rows, coalesce(the_units_in, t.units_in) as units_in, coalesce(the_units_in, t.units_in) - t.moved as units_out, 0::bigint as left_out into totals
    from (
      select coalesce(sum(row_count), 0)::bigint as rows, count(*) as keys, case when elsewhere then count(distinct sku) else count(*) end as skus, case when elsewhere then count(distinct warehouse) else least(count(*), 1) end as warehouses,
        coalesce(sum(zero_rows), 0)::bigint as zero_rows, coalesce(sum(units_in), 0)::bigint as units_in, coalesce(sum(quantity), 0)::bigint as moved
      from pg_temp.import_net
    ) t;
  end if;
  select at_time + t.term into expires from public.idempotency_terms t where t.namespace in (the_namespace, '') order by t.namespace desc limit 1;
  insert into public.applied_batches (namespace, import_id, generation, content_digest, fence, apply_time, rows, zero_rows, skus, duplicate_rows, units_in, units_out, catalogue_generation, expire_time)
  values (the_namespace, the_import, the_generation, batch.content_digest, the_fence, at_time,
      totals.rows + totals.left_out + file_rejected_rows, totals.zero_rows, totals.skus, totals.rows - totals.keys, totals.units_in, totals.units_out, the_catalogue, expires);
  update public.imports i
  set state = 'applied', revision = i.revision + 1, update_time = at_time, end_time = at_time, ended_by = 'run', idempotency_expire_time = expires,
      rows = totals.rows + totals.left_out + file_rejected_rows, zero_rows = totals.zero_rows, skus = totals.skus, duplicate_rows = totals.rows - totals.keys,
      units_in = totals.units_in, units_out = totals.units_out, catalogue_generation = the_catalogue
  where i.namespace = the_namespace and i.import_id = the_import
  returning i.* into batch;
  if asked.mode is not null then
    update public.import_options o
    set rejected_rows = totals.left_out + file_rejected_rows, row_error_count = coalesce(stock_fault_count, 0) + file_fault_count, warehouses = totals.warehouses
    where o.namespace = the_namespace and o.import_id = the_import
    returning o.* into asked;
  end if;
  if partial then
    -- The file's own faults and stock's, in the file's order, as a refusal keeps them.
    insert into public.import_row_errors (namespace, import_id, generation, position, line, column_name, code, message, reject_time)
    select the_namespace, the_import, the_generation, row_number() over (order by e.line, e.place), e.line, e.column_name, e.code, e.message, at_time
    from (
      select f.line, f.column_name, f.code, f.message, f.place from unnest(file_lines, file_columns, file_codes, file_messages) with ordinality as f (line, column_name, code, message, place)
      union all
      select f.line, 'quantity', f.code, format(the_words ->> case when f.set_to is null or f.code = 'LIMIT' then f.code else 'NEGATIVE_AFTER_SET' end,
          to_json(left(f.sku, 64))::text || case when f.warehouse = '' then '' else ' in ' || f.warehouse end, abs(f.change::numeric), coalesce(f.set_to, f.in_stock)), 0
      from jsonb_to_recordset(coalesce(stock_faults, '[]')) as f (line bigint, code text, warehouse text, sku text, set_to text, in_stock text, change text)
      order by 1, 5 limit 100
    ) e;
  end if;
  return query select 'applied', null::jsonb, 0::bigint, batch, asked;
end
$$
