import { unwrap } from '../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { connectLane } from '../../store/driver/connect-lane.ts'
import { connectOwner, connectStore } from '../../store/driver/connect.ts'
import { prepareWrites, tenantRows, writeRows } from '../../store/driver/tenant-query.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'

describe('the second wall', () => {
  let harness: Harness
  let org: TestOrganization
  beforeAll(async () => {
    harness = await createHarness()
    org = await harness.organization()
    // A partitioned table without partitions is not read, so its policy is not asked.
    await asApp(`select ensure_charge_partition('2026-09-01')`)
    await harness.deps.store.tenant(org.id, async (tenant) =>
      auditLog(tenant, systemActor).record('test.event'),
    )
  })
  afterAll(async () => harness.close())

  /** As the application's role, with or without the organization set. */
  const asApp = async (sql: string, organizationId?: number) => {
    const owner = connectOwner(harness.config.databaseUrl)
    try {
      return await owner.transaction(async (trx) => {
        await trx.raw('set local role cc_app')
        if (organizationId !== undefined)
          await trx.raw(`select set_config('cc.organization_id', ?, true)`, [
            String(organizationId),
          ])
        return (await trx.raw(sql)).rows
      })
    } finally {
      await owner.destroy()
    }
  }

  const tenantTables = async (): Promise<string[]> => {
    const { rows } = await harness.deps.store.platform.raw(`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relrowsecurity
        and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')
      order by 1`)
    return rows.map(({ name }: { name: string }) => name)
  }

  test('a query without an organization fails loudly, at every table', async () => {
    const tables = await tenantTables()
    expect(tables.length).toBeGreaterThan(20)
    for (const table of tables)
      // Even where the table is empty: the condition is a constant, and is looked at first.
      await expect(asApp(`select count(*) from ${table}`), table).rejects.toThrow(
        /cc\.organization_id/,
      )
  })

  test('another organization’s rows are not there, and none can be put there', async () => {
    const other = await harness.organization()
    const count = 'select count(*)::integer as n from audit_entries'
    expect(await asApp(count, org.id)).toEqual([{ n: 1 }])
    expect(await asApp(count, other.id)).toEqual([{ n: 0 }])
    await expect(
      asApp(
        `insert into audit_entries (organization_id, event, outcome, actor_kind, actor_label)
         values (${org.id}, 'forged.event', 'success', 'system', 'me')`,
        other.id,
      ),
    ).rejects.toThrow(/row-level security/)
    expect(
      await asApp(
        `update organizations set name = 'mine' where id = ${org.id} returning id`,
        other.id,
      ),
    ).toEqual([])
  })

  test('a read in one round trip sees its organization alone, only reads, and leaves a clean connection', async () => {
    const other = await harness.organization()
    // One connection: each read follows the one before on it.
    const store = connectStore(databaseLogins(harness.config), 1)
    const read = async (organizationId: number, text: string) =>
      store.read<{ n: number }>(organizationId, { name: text, text, values: [] })
    const count = 'select count(*)::integer as n from audit_entries'
    try {
      expect(await read(org.id, count)).toEqual([{ n: 1 }])
      expect(await read(other.id, count)).toEqual([{ n: 0 }])
      await expect(read(org.id, `select 1 / 0 as n`)).rejects.toThrow(/division by zero/)
      await expect(read(org.id, 'delete from users')).rejects.toThrow(/read-only/)
      const mixed = await Promise.all([
        read(org.id, count),
        read(other.id, count),
        read(org.id, count),
      ])
      expect(mixed).toEqual([[{ n: 1 }], [{ n: 0 }], [{ n: 1 }]])
      await store.tenant(other.id, async (tenant) => {
        const { db } = unwrap(tenant)

        expect((await db.raw(count)).rows).toEqual([{ n: 0 }])
      })
      const left = `select current_setting('cc.organization_id', true) as organization,
        current_setting('transaction_read_only') as "readOnly"`
      const connection = await connectLane(databaseLogins(harness.config).cc_app.url, 'cc_app')
      await tenantRows(connection, org.id, { name: 'some', text: count, values: [] })
      expect((await connection.query(left)).rows).toEqual([{ organization: '', readOnly: 'off' }])
      await expect(connection.query(count)).rejects.toThrow(/invalid input syntax/)
      await connection.end()
    } finally {
      await store.close()
    }
  })

  test('a write in one round trip sees its organization alone, is atomic, and leaves a clean connection', async () => {
    const other = await harness.organization()
    // One connection: each write follows the one before on it.
    const store = connectStore(databaseLogins(harness.config), 1)
    const { id: userId } = await org.user('Owner')
    const rename = async (organizationId: number, end = '') =>
      store.write<{ id: number }>(organizationId, {
        name: `rename${end}`,
        text: `update users set name = $2 where id = $1 returning id${end}`,
        values: [userId, 'a "new" \\ name'],
      })
    const names = 'select name from users where name = any($1::text[])'
    try {
      expect(await rename(other.id)).toEqual([])
      // The row is changed, and then its column divides by zero.
      await expect(rename(org.id, `, 1 / (id - ${userId})`)).rejects.toThrow(/division by zero/)
      const read = { name: 'names', text: names, values: [['a "new" \\ name']] }
      expect(await store.read(org.id, read)).toEqual([])
      // Twice: the second time the statement is known.
      expect(await rename(org.id)).toEqual([{ id: userId }])
      expect(await rename(org.id)).toEqual([{ id: userId }])
      expect(await store.read(org.id, read)).toHaveLength(1)
      expect(await store.read(org.id, read)).toHaveLength(1)
      const connection = await connectLane(databaseLogins(harness.config).cc_app.url, 'cc_app')
      await connection.query(prepareWrites)
      await writeRows(connection, org.id, { name: 'some', text: 'select 1', values: [] })
      const left = `select current_setting('cc.organization_id', true) as organization`
      expect((await connection.query(left)).rows).toEqual([{ organization: '' }])
      await connection.end()
    } finally {
      await store.close()
    }
  })

  test.each([
    `update audit_entries set event = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
    `update audit_seals set hash = ''`,
    'delete from audit_seals',
    'truncate audit_seals',
    `update audit_heads set sealed = ''`,
    'delete from audit_heads',
    'delete from audit_unsealed',
    'select * from audit_unsealed',
    'delete from audit_entries_rest',
    'select * from audit_entries_rest',
    'select count(*) from sign_in_failures',
    'alter table audit_entries disable trigger all',
  ])('the application’s role is refused: %s', async (sql) => {
    await expect(asApp(sql, org.id)).rejects.toThrow(/permission denied|must be owner/)
  })

  test.each([
    `update audit_entries set event = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ])('even its owner is refused: %s', async (sql) => {
    const owner = connectOwner(harness.config.databaseUrl)
    try {
      await expect(owner.raw(sql)).rejects.toThrow(/append-only/)
    } finally {
      await owner.destroy()
    }
  })
})
