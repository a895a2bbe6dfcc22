import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditLog, systemActor } from '../../../store/audit/audit-log.ts'
import { chainHeads } from '../../../gateways/keyring/chain-heads.ts'
import { connectOwner } from '../../../store/driver/connect.ts'
import { sealAudit } from '../../../store/platform/audit-sealer.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

type Entry = { id: number; event: string; at: string; hash: string | null }

describe('/api/audit', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  const write = async (org: TestOrganization, events: readonly string[]) =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      for (const [index, event] of events.entries())
        await auditLog(tenant, systemActor).record(event, {
          target: { kind: index % 2 === 0 ? 'pipeline' : 'run', id: index, label: `it ${index}` },
          detail: { index, nested: { b: 1, a: [true, null] } },
        })
    })

  const sealAll = async () => {
    const { store, keyring } = harness.deps
    while ((await sealAudit(store.platform, chainHeads(keyring))).sealed > 0);
  }

  const asOwner = async (sql: string, bindings: readonly number[]) => {
    const owner = connectOwner(harness.config.databaseUrl)
    try {
      await owner.transaction(async (trx) => {
        // The attacker is the owner of the database, whose changes the hash chain has to reveal.
        await trx.raw('alter table audit_entries disable trigger user')
        await trx.raw('alter table audit_seals disable trigger user')
        await trx.raw(sql, [...bindings])
        await trx.raw('alter table audit_entries enable trigger user')
        await trx.raw('alter table audit_seals enable trigger user')
      })
    } finally {
      await owner.destroy()
    }
  }

  test('200: an entry has its documented shape, and its hash once it is sealed', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    const made = await deployer.post('/api/workspaces', { name: 'shown' })
    const { id } = made.json().workspace
    const read = async () =>
      (await deployer.get('/api/audit?event=workspace.created')).json().entries[0]
    const entry = await read()
    expect(entry).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: 'workspace.created',
      outcome: 'success',
      actor: { kind: 'user', id: deployer.id, label: deployer.email },
      target: { kind: 'workspace', id, label: 'shown' },
      detail: {
        criticality: 'standard',
        confirm: 'none',
        costLimitMonthly: null,
        source: { kind: 'inline' },
      },
      ip: '127.0.0.1',
      requestId: made.headers['x-request-id'],
      hash: null,
    })
    await sealAll()
    expect(await read()).toEqual({ ...entry, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  test('200: a denial is one entry a minute, with a count', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    for (let tries = 0; tries < 3; tries += 1)
      expect((await viewer.post('/api/workspaces', { name: 'no' })).statusCode).toBe(403)
    const { entries } = (await viewer.get('/api/audit?event=workspace.denied')).json()
    const total = entries.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    expect([total, entries[0].outcome, entries.length < 3]).toEqual([3, 'denied', true])
    expect(entries[0].detail).toEqual({
      route: 'POST /api/workspaces',
      capability: 'mutate_infra',
      role: 'Viewer',
    })
  })

  test('200: an attempt above the caller’s role is recorded, although its transaction is rolled back', async () => {
    const org = await harness.organization()
    const [owner, admin] = [await org.user('Owner'), await org.user('Org Admin')]
    const person = { email: `x@${org.slug}.example`, name: 'X', role: 'Owner' }
    const tries = [
      await admin.post('/api/org/users', person),
      await admin.patch(`/api/org/users/${owner.id}`, { role: 'Viewer' }),
      await admin.delete(`/api/org/users/${owner.id}`),
      await admin.post('/api/auth/tokens', { name: 'x', role: 'Owner' }),
    ]
    for (const { statusCode } of tries) expect(statusCode).toBe(403)
    const { entries } = (await owner.get(`/api/audit?actor=user:${admin.id}`)).json()
    expect(entries.map(({ event, detail }: Entry & { detail: object }) => [event, detail])).toEqual(
      [
        ['auth.denied', 'POST /api/auth/tokens', 'Your role (Org Admin) cannot grant Owner.'],
        [
          'org.denied',
          'DELETE /api/org/users/:id',
          'Your role (Org Admin) cannot change a person who is Owner.',
        ],
        [
          'org.denied',
          'PATCH /api/org/users/:id',
          'Your role (Org Admin) cannot change a person who is Owner.',
        ],
        ['org.denied', 'POST /api/org/users', 'Your role (Org Admin) cannot grant Owner.'],
      ].map(([event, route, because]) => [event, { route, because, role: 'Org Admin' }]),
    )
  })

  test('400: a date that does not exist', async () => {
    const viewer = await (await harness.organization()).user('Viewer')
    for (const day of ['2026-02-31', '2026-02-29', '2026-04-31T12:00:00Z', '2026-13-01']) {
      const answer = await viewer.get(`/api/audit?from=${day}`)
      expect([answer.statusCode, answer.json().details?.[0]?.path], day).toEqual([400, 'from'])
    }
    expect((await viewer.get('/api/audit?to=2028-02-29')).statusCode).toBe(200)
  })

  test('200: filters by event, area, actor, target and time', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    await write(org, ['pipeline.created', 'pipeline.deleted', 'pipelines.odd', 'org.updated'])
    await (await org.user('Deployer')).post('/api/workspaces', { name: 'mine' })
    const events = async (query: string) => {
      const response = await viewer.get(`/api/audit?${query}`)
      expect(response.statusCode, response.body).toBe(200)
      return response.json().entries.map(({ event }: Entry) => event)
    }
    const pipelines = ['pipeline.created', 'pipeline.deleted', 'pipeline.created']
    expect(await events('event=pipeline.deleted')).toEqual(['pipeline.deleted'])
    for (const area of ['pipeline', 'pipeline.*', 'pipeline*'])
      expect(await events(`event=${area}`)).toEqual(pipelines)
    expect(await events('event=nothing.*')).toEqual([])
    expect(await events('actor=system&event=pipeline')).toEqual(pipelines.slice(1))
    expect(await events('actor=cloud-control&event=org')).toEqual(['org.updated'])
    expect(await events('target=run:1')).toEqual(['pipeline.deleted'])
    expect(await events('target=run:0')).toEqual([])
    expect(await events('target=run')).toEqual(['org.updated', 'pipeline.deleted'])
    expect(await events('target=budget')).toEqual([])
    expect(await events('target=3')).toEqual(['org.updated'])
    expect(await events('target=IT%203')).toEqual(['org.updated'])
    expect(await events('target=mine')).toEqual(['workspace.created'])
    const today = new Date().toISOString().slice(0, 10)
    expect(await events(`event=org&from=${today}&to=${today}`)).toEqual(['org.updated'])
    expect(await events(`event=org&to=${today}T00:00:00Z`)).toEqual([])
    expect(await events(`event=org&from=2000-01-01T00:00:00+02:00`)).toEqual(['org.updated'])
    expect(await events('event=org&from=0000-01-01&to=9999-12-31')).toEqual(['org.updated'])
    const owner = await org.user('Owner')
    await owner.post('/api/workspaces', { name: 'owners' })
    expect(await events(`actor=user:${owner.id}&event=workspace`)).toEqual(['workspace.created'])
    expect(await events(`actor=${owner.id}&event=workspace`)).toEqual(['workspace.created'])
    for (const label of [owner.email, owner.email.toUpperCase()])
      expect(await events(`actor=${label}&event=workspace`)).toEqual(['workspace.created'])
    for (const wrong of ['event=a b', 'from=yesterday', 'to=2026-13-01', 'cursor=!', 'limit=0'])
      expect((await viewer.get(`/api/audit?${wrong}`)).statusCode, wrong).toBe(400)
  })

  test('200: keyset pages show each entry once, newest first, while entries are added', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    await write(
      org,
      Array.from({ length: 23 }, (_, n) => `area${n % 2 === 0 ? '' : '_b'}.event`),
    )
    for (const query of ['', 'event=area.*&']) {
      const seen: Entry[] = []
      let cursor = ''
      do {
        const response = await viewer.get(`/api/audit?${query}limit=5${cursor}`)
        seen.push(...response.json().entries)
        await write(org, ['later.event'])
        cursor = response.json().nextCursor && `&cursor=${response.json().nextCursor}`
      } while (cursor)
      const ids = seen.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a))
      const own = seen.filter(({ event }) => event.startsWith('area'))
      expect(own.length).toBe(query === '' ? 23 : 12)
    }
  })

  test('200: the whole log and a search that finds all of it show the same pages', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    await write(org, ['a.one', 'a.two', 'b.three', 'b.four'])
    await sealAll()
    const viewer = await org.user('Viewer')
    await viewer.post('/api/workspaces', { name: 'no' })
    await write(org, ['c.not-sealed'])
    const pages = async (search: string) => {
      const all: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const next: string = cursor && `&cursor=${cursor}`
        const { entries, nextCursor } = (
          await owner.get(`/api/audit?limit=2${search}${next}`)
        ).json()
        all.push(entries)
        cursor = nextCursor
      }
      return all
    }
    const whole = await pages('')
    expect(whole.length).toBeGreaterThan(2)
    expect(await pages('&from=2000-01-01')).toEqual(whole)
    expect(whole.flat()).toContainEqual(expect.objectContaining({ count: 1, outcome: 'denied' }))
    expect(whole.flat()).toContainEqual(
      expect.objectContaining({ event: 'c.not-sealed', hash: null }),
    )
  })

  test('200: a Bearer token reads, and another organization’s entries are not shown', async () => {
    const org = await harness.organization()
    const other = await harness.organization()
    await write(other, ['secret.event'])
    const viewer = await org.user('Viewer')
    const headers = { authorization: `Bearer ${await viewer.token('Viewer')}` }
    for (const url of ['/api/audit', '/api/audit/export']) {
      const response = await harness.app.inject({ url, headers })
      expect(response.statusCode).toBe(200)
      expect(response.body).not.toContain('secret.event')
    }
  })

  test('200: verify checks the chain up to its last sealed entry', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    const verify = async () => (await viewer.get('/api/audit/verify')).json()
    expect(await verify()).toEqual({ ok: true, throughId: null, entries: 0 })
    // More entries than verify reads in two queries.
    await write(
      org,
      Array.from({ length: 2_050 }, () => 'many.event'),
    )
    await sealAll()
    const last = (await viewer.get('/api/audit?limit=1')).json().entries[0]
    expect(await verify()).toEqual({ ok: true, throughId: last.id, entries: 2_050 })
  })

  test.each([
    [
      'an entry was changed',
      `update audit_entries set actor_label = 'me' where organization_id = ? and id = ?`,
    ],
    ['an entry was removed', 'delete from audit_entries where organization_id = ? and id = ?'],
    ['a seal was removed', 'delete from audit_seals where organization_id = ? and entry_id = ?'],
    [
      'a seal was changed',
      `update audit_seals set hash = '\\x00' where organization_id = ? and entry_id = ?`,
    ],
  ])('200: verify names the place where %s', async (what, sql) => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    await write(org, ['one.event', 'two.event', 'three.event'])
    await sealAll()
    const [third, second, first] = (await viewer.get('/api/audit')).json().entries
    await asOwner(sql, [org.id, second.id])
    const brokenAt = what === 'a seal was removed' ? third.id : second.id
    expect((await viewer.get('/api/audit/verify')).json()).toEqual({
      ok: false,
      throughId: first.id,
      entries: 1,
      brokenAt,
    })
  })

  test('200: export streams one entry a line, oldest first, over several queries', async () => {
    const org = await harness.organization()
    const viewer = await org.user('Viewer')
    await write(
      org,
      Array.from({ length: 1_203 }, (_, n) => (n % 3 === 0 ? 'a.event' : 'b.event')),
    )
    const response = await viewer.get('/api/audit/export')
    expect(response.headers['content-type']).toMatch(/^application\/x-ndjson/)
    const lines: Entry[] = response.body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(1_203)
    const ids = lines.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    const shown = (await viewer.get('/api/audit?limit=1')).json().entries[0]
    expect(lines.at(-1)).toEqual(shown)
    const some = await viewer.get('/api/audit/export?event=a.*')
    expect(some.body.trimEnd().split('\n')).toHaveLength(401)
  })
})
