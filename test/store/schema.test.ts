import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Secret } from '../../config.ts'
import { connectOwner } from '../../store/driver/connect.ts'
import { describeSchema } from './describe-schema.ts'

describe('the schema that the migrations add up to', () => {
  let owner: Knex
  beforeAll(() => {
    owner = connectOwner(new Secret(inject('templateUrl')))
  })
  afterAll(async () => owner.destroy())

  const linesOf = async (sql: string): Promise<string[]> => {
    const { rows } = await owner.raw(sql)
    return rows.map(({ line }: { line: string }) => line)
  }

  test('it is the committed store/schema.sql; --update writes it anew', async () => {
    await expect(await describeSchema(owner)).toMatchFileSnapshot('../../store/schema.sql')
  })

  test('every foreign key has an index that begins with its columns', async () => {
    const without = await linesOf(`
      select f.conrelid::regclass || ' ' || pg_get_constraintdef(f.oid) as line
      from pg_constraint f
      where f.contype = 'f' and f.conparentid = 0 and f.connamespace = 'public'::regnamespace
        and not exists (
          select from pg_index i
          where i.indrelid = f.conrelid and i.indisvalid
            -- A partial index serves no look-up by the key alone, but that its columns are set.
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$')
            and (select array_agg(key order by key)
                 from unnest(i.indkey::int2[]) with ordinality as k(key, place)
                 where place <= cardinality(f.conkey))
              = (select array_agg(key order by key) from unnest(f.conkey) as k(key)))
      order by 1`)
    expect(without).toEqual([])
  })

  test('every foreign key between tables of tenants takes the tenant along', async () => {
    const single = await linesOf(`
      select f.conrelid::regclass || ' ' || pg_get_constraintdef(f.oid) as line
      from pg_constraint f
      where f.contype = 'f' and f.conparentid = 0 and f.connamespace = 'public'::regnamespace
        and exists (select from pg_attribute a where a.attrelid = f.confrelid and a.attname = 'organization_id')
        and not exists (select from pg_attribute a
          where a.attrelid = f.conrelid and a.attnum = any(f.conkey) and a.attname = 'organization_id')
      order by 1`)
    expect(single).toEqual([])
  })

  test('every table of tenants has row-level security for both roles, or is out of reach', async () => {
    const open = await linesOf(`
      select c.relname as line
      from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not (c.relrowsecurity
          and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant'
            and pg_get_expr(p.polqual, c.oid) = '(organization_id = (current_setting(''cc.organization_id''::text))::integer)'
            and pg_get_expr(p.polwithcheck, c.oid) = pg_get_expr(p.polqual, c.oid)))
        -- A partition is read through its parent, whose policy holds; by itself nobody gets at it.
        and not (c.relispartition
          and not has_table_privilege('cc_app', c.oid, 'select, insert, update, delete, truncate')
          and not has_table_privilege('cc_platform', c.oid, 'select, insert, update, delete, truncate'))
      order by 1`)
    expect(open).toEqual([])
  })

  test('neither role owns anything, steps over row-level security, or may truncate', async () => {
    const able = await linesOf(`
      select rolname || ' is ' || case when rolsuper then 'super' else 'bypassrls' end as line
      from pg_roles where rolname in ('cc_app', 'cc_platform') and (rolsuper or rolbypassrls)
      union all
      select r.rolname || ' owns ' || c.relname from pg_class c join pg_roles r on r.oid = c.relowner
      where r.rolname in ('cc_app', 'cc_platform')
      union all
      select r || ' truncates ' || c.relname
      from pg_class c cross join unnest(array['cc_app', 'cc_platform']) as r
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege(r, c.oid, 'truncate')`)
    expect(able).toEqual([])
  })
})
