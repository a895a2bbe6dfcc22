import { unwrap } from '../../../store/driver/tenant.ts'
import { randomBytes } from 'node:crypto'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../config.ts'
import { chainHash } from '../../../domain/audit/chain-hash.ts'
import { chainHeads } from '../../../gateways/keyring/chain-heads.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { auditEntries } from '../../../store/audit/audit-entries.ts'
import { auditLog, systemActor } from '../../../store/audit/audit-log.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { sealAudit } from '../../../store/platform/audit-sealer.ts'
import { startTasks } from '../../../worker/run-tasks.ts'
import { makePartitionsTask } from '../../../worker/tasks/make-partitions.ts'
import { sealAuditTask } from '../../../worker/tasks/seal-audit.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

/**
 * A hash chain alone does not show that its last entries were deleted. The attacker here owns the
 * database.
 */
describe('the end of the audit chain', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const write = async (org: TestOrganization, ...events: string[]) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      for (const event of events) await auditLog(tenant, systemActor).record(event)
    })
  const seal = async () => sealAudit(harness.deps.store.platform, chainHeads(harness.deps.keyring))
  const verify = async (org: TestOrganization) =>
    (await (await org.user('Viewer')).get('/api/audit/verify')).json()

  /** Changes the tables as the owner of the database, which the sealed end has to reveal. */
  const asOwner = async (sql: string, bindings: Array<number | Buffer> = []) => {
    const owner = connectOwner(harness.config.databaseUrl)
    try {
      await owner.transaction(async (trx) => {
        for (const table of ['audit_entries', 'audit_seals'])
          await trx.raw(`alter table ${table} disable trigger user`)
        await trx.raw(sql, bindings)
        for (const table of ['audit_entries', 'audit_seals'])
          await trx.raw(`alter table ${table} enable trigger user`)
      })
    } finally {
      await owner.destroy()
    }
  }
  const cutOff = async (org: TestOrganization, from: number) => {
    await asOwner(
      `with gone as (delete from audit_seals where organization_id = ? and position >= ? returning entry_id)
       delete from audit_entries where id in (select entry_id from gone)`,
      [org.id, from],
    )
  }
  const three = async () => {
    const org = await harness.organization()
    await write(org, 'one.event', 'two.event', 'three.event')
    await seal()
    expect(await verify(org)).toMatchObject({ ok: true, entries: 3 })
    return org
  }

  test('200: verify reports how many entries were cut off, also after later entries', async () => {
    const org = await three()
    await cutOff(org, 2)
    expect(await verify(org)).toMatchObject({ ok: false, entries: 1, missing: 2 })
    await write(org, 'four.event')
    expect((await seal()).sealed).toBe(1)
    const { ok, entries, brokenAt } = await verify(org)
    expect([ok, entries, typeof brokenAt]).toEqual([false, 1, 'number'])
  })

  test('200: verify rejects an end that was removed, forged or copied from another chain', async () => {
    const [org, other] = [await three(), await three()]
    await cutOff(org, 3)
    await asOwner(
      `update audit_heads set sealed = (select sealed from audit_heads where organization_id = ?)
       where organization_id = ?`,
      [other.id, org.id],
    )
    expect(await verify(org)).toMatchObject({ ok: false, entries: 0, throughId: null })
    const stranger = createKeyring([
      { id: 'test', key: new Secret(randomBytes(32).toString('base64')) },
    ])
    const forged = chainHeads(stranger).seal(org.id, {
      position: 2,
      hash: Buffer.alloc(32),
      entryId: 1,
    })
    await asOwner('update audit_heads set sealed = ? where organization_id = ?', [forged, org.id])
    expect(await verify(org)).toMatchObject({ ok: false, entries: 0 })
    await asOwner('delete from audit_heads where organization_id = ?', [org.id])
    expect(await verify(org)).toMatchObject({ ok: false, entries: 0 })
    expect(await verify(other)).toMatchObject({ ok: true, entries: 3 })
  })

  test('200: verify rejects a chain whose hashes were recomputed', async () => {
    const org = await three()
    const entries = await harness.deps.store.tenant(org.id, async (tenant) =>
      auditEntries(tenant).list({ limit: 10, after: 0 }),
    )
    const [first, second, third] = entries
    if (!first || !second || !third) throw new Error('three entries were written')
    // Without the second entry the recomputed chain is consistent.
    const start = chainHash(Buffer.alloc(32), first)
    await cutOff(org, 1)
    await asOwner(
      `insert into audit_entries overriding system value
       select (jsonb_populate_record(null::audit_entries, '{"id": ${first.id}, "organization_id": ${org.id},
         "at": "${first.at.toISOString()}", "event": "one.event", "outcome": "success", "actor_kind": "system",
         "actor_label": "cloud-control", "detail": {}, "transaction_id": "3"}'::jsonb)).*`,
    )
    await asOwner(
      'insert into audit_seals (organization_id, position, entry_id, hash) values (?, 1, ?, ?)',
      [org.id, first.id, start],
    )
    expect(await verify(org)).toMatchObject({ ok: false, entries: 1, missing: 2 })
  })

  test('503: verify needs the key of the chain’s end', async () => {
    const org = await three()
    const moved = createKeyring([
      { id: 'other', key: new Secret(randomBytes(32).toString('base64')) },
    ])
    const sealed = chainHeads(moved).seal(org.id, {
      position: 3,
      hash: Buffer.alloc(32),
      entryId: 1,
    })
    await asOwner('update audit_heads set sealed = ? where organization_id = ?', [sealed, org.id])
    const answer = await (await org.user('Viewer')).get('/api/audit/verify')
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'keyring_unavailable'])
    // The missing key does not delay another organization's chain.
    const other = await harness.organization()
    await write(org, 'late.event')
    await write(other, 'late.event')
    const { sealed: count, stuck } = await seal()
    expect([count, stuck.map(({ organizationId }) => organizationId)]).toEqual([1, [org.id]])
    await asOwner('delete from audit_unsealed where organization_id = ?', [org.id])
  })

  test('an entry is sealed at any age, and while other transactions are open', async () => {
    const org = await harness.organization()
    const { store } = harness.deps
    const held = await store.platform.transaction()
    await held.raw('select pg_current_xact_id()')
    try {
      await store.tenant(org.id, async (tenant) =>
        unwrap(tenant)
          .db('audit_entries')
          .insert({
            organizationId: org.id,
            event: 'old.event',
            outcome: 'success',
            actorKind: 'system',
            actorLabel: 'cloud-control',
            at: new Date(Date.now() - 400 * 86_400_000),
          }),
      )
      await write(org, 'new.event')
      await seal()
    } finally {
      await held.rollback()
    }
    expect(await verify(org)).toMatchObject({ ok: true, entries: 2 })
  })

  test('an entry that commits late is sealed later, and two sealers at once seal each entry once', async () => {
    const org = await harness.organization()
    const { store } = harness.deps
    let commit = () => {}
    const late = store.tenant(org.id, async (tenant) => {
      await auditLog(tenant, systemActor).record('late.event')
      await new Promise<void>((resolve) => (commit = resolve))
    })
    await expect.poll(() => commit.toString()).not.toBe('() => {}')
    await write(org, 'early.event')
    await seal()
    expect(await verify(org)).toMatchObject({ ok: true, entries: 1 })
    commit()
    await late
    await write(org, ...Array.from({ length: 40 }, () => 'more.event'))
    const done = await Promise.all([seal(), seal(), seal()])
    expect(done.reduce((sum, { sealed }) => sum + sealed, 0)).toBe(41)
    expect(await verify(org)).toMatchObject({ ok: true, entries: 42 })
  })

  test('the schedule creates partitions for months ahead, also if one month has rows already', async () => {
    const { store, keyring, log } = harness.deps
    const { rows } = await store.platform.raw(`
      select to_char(m, 'YYYY_MM') as name, m::date::text as day
      from generate_series(date_trunc('month', now()), now() + interval '3 months', interval '1 month') m`)
    const [, second, third] = rows as Array<{ name: string; day: string }>
    if (!second || !third) throw new Error('three months ahead')
    await asOwner(`drop table audit_entries_${second.name}, audit_entries_${third.name}`)
    const org = await harness.organization()
    await store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('audit_entries')
        .insert({
          organizationId: org.id,
          event: 'ahead.event',
          outcome: 'success',
          actorKind: 'system',
          actorLabel: 'cloud-control',
          at: new Date(`${second.day}T12:00:00Z`),
        }),
    )
    const tasks = startTasks(
      [makePartitionsTask({ store }), sealAuditTask({ store, keyring, log })],
      {
        registry: new Registry(),
        log,
      },
    )
    try {
      await expect
        .poll(async () => {
          const { rows } = await store.platform.raw(
            `select to_regclass('audit_entries_${third.name}') is not null as there`,
          )
          return rows[0].there
        })
        .toBe(true)
      await expect.poll(async () => verify(org)).toMatchObject({ ok: true, entries: 1 })
    } finally {
      await tasks.stop()
    }
  })
})
