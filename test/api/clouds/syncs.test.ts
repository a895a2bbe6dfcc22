import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { connectedAccount } from '../../harness/clouds/cloud-rows.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let org: TestOrganization
let admin: TestUser
beforeAll(async () => {
  harness = await createHarness()
  org = await harness.organization()
  admin = await org.user('SRE · Cloud Admin')
})
afterAll(async () => harness.close())

const starts = async (accountId: number) =>
  harness.deps.store
    .platform('outbox')
    .where({ organizationId: org.id, workflowType: 'syncAccount' })
    .whereRaw(`options ->> 'summary' like ?`, [`cloud account ${accountId},%`])

test('POST /api/cloud/accounts: 201: a sync follows by itself', async () => {
  const made = await admin.post('/api/cloud/accounts', {
    provider: 'aws',
    name: 'new',
    accountId: '210987654321',
    credentials: { roleArn: 'arn:aws:iam::210987654321:role/cloud-control' },
  })
  const { id, sync, nextSyncAt } = made.json().account
  expect(sync).toMatchObject({ trigger: 'connect', state: 'running' })
  expect(Date.parse(nextSyncAt)).toBeGreaterThan(Date.now() + 60_000)
  const { syncs } = (await admin.get(`/api/cloud/accounts/${id}/syncs`)).json()
  expect(syncs).toMatchObject([{ trigger: 'connect', state: 'running' }])
  expect(await starts(id)).toHaveLength(1)
})

test('GET /api/cloud/accounts: as many statements for twelve accounts as for one, each with its sync', async () => {
  const many = await harness.organization()
  const owner = await many.user('Owner')
  const list = async () => countStatements(async () => owner.get('/api/cloud/accounts'))
  const ids = [await connectedAccount(harness, many.id)]
  const one = await list()
  expect(one.answer.json().accounts[0]).toMatchObject({ sync: null, resources: 0 })
  while (ids.length < 12) ids.push(await connectedAccount(harness, many.id))
  const { platform } = harness.deps.store
  for (const cloudAccountId of ids.slice(1))
    for (const seen of [1, 2])
      await platform('cloud_syncs').insert({
        organizationId: many.id,
        cloudAccountId,
        trigger: 'schedule',
        state: 'succeeded',
        endedAt: new Date(),
        seen: cloudAccountId * 10 + seen,
      })
  const all = await list()
  expect(all.statements).toHaveLength(one.statements.length)
  const shown = all.answer.json().accounts as Array<{ id: number; sync: { seen: number } | null }>
  expect(shown.map(({ id, sync }) => [id, sync?.seen ?? null])).toEqual(
    ids.map((id, at) => [id, at === 0 ? null : id * 10 + 2]),
  )
})

test('GET /api/cloud/accounts/{id}/syncs: 200: less than all has one word, and a reason of its own', async () => {
  const cloudAccountId = await connectedAccount(harness, org.id)
  const rows = [
    { coverage: 'full', state: 'succeeded' },
    { coverage: 'tagged_only', state: 'succeeded' },
    { coverage: 'partial', state: 'succeeded' },
    { coverage: 'partial', state: 'failed', reason: 'No answer.' },
    { coverage: null, state: 'failed', reason: 'No answer.' },
  ]
  const { platform } = harness.deps.store
  for (const row of rows)
    await platform('cloud_syncs').insert({
      organizationId: org.id,
      cloudAccountId,
      trigger: 'schedule',
      endedAt: new Date(),
      ...row,
    })
  const types = 'The credentials may read some types of resources alone.'
  const shown = [
    { coverage: null, reason: 'No answer.' },
    { coverage: 'tagged_only', reason: expect.stringContaining(`No answer. ${types}`) },
    { coverage: 'tagged_only', reason: expect.stringContaining(types) },
    { coverage: 'tagged_only', reason: expect.stringContaining('have or had a tag') },
    { coverage: 'full', reason: null },
  ]
  const { syncs } = (await admin.get(`/api/cloud/accounts/${cloudAccountId}/syncs`)).json()
  expect(syncs).toMatchObject(shown)
  const { account } = (await admin.get(`/api/cloud/accounts/${cloudAccountId}`)).json()
  expect(account.sync).toMatchObject({ coverage: null })
})

describe('POST /api/cloud/accounts/{id}/sync', () => {
  test('202: starts one sync, which a second request joins', async () => {
    const id = await connectedAccount(harness, org.id)
    const url = `/api/cloud/accounts/${id}`
    const [first, second] = await Promise.all([
      admin.post(`${url}/sync`),
      admin.post(`${url}/sync`),
    ])
    expect([first.statusCode, second.statusCode]).toEqual([202, 202])
    const { sync } = first.json()
    expect(second.json().sync.id).toBe(sync.id)
    expect(sync).toMatchObject({ trigger: 'request', state: 'running', endedAt: null })
    expect(await starts(id)).toHaveLength(1)

    const { syncs, nextCursor } = (await admin.get(`${url}/syncs`)).json()
    expect([syncs, nextCursor]).toEqual([[sync], null])
    const one = (await admin.get(`${url}/syncs/${sync.id}`)).json().sync
    expect(one).toEqual({ ...sync, places: [] })
  })

  test('202: the same Idempotency-Key gets the first answer, also after that sync is over', async () => {
    const id = await connectedAccount(harness, org.id)
    const other = await connectedAccount(harness, org.id)
    const headers = { 'idempotency-key': `key-${id}` }
    const post = async (account: number) =>
      admin.post(`/api/cloud/accounts/${account}/sync`, undefined, { headers })
    const first = await post(id)
    await harness.deps.store
      .platform('cloud_syncs')
      .where({ id: first.json().sync.id })
      .update({ state: 'succeeded', endedAt: new Date() })
    expect((await post(id)).json()).toEqual(first.json())
    expect(await starts(id)).toHaveLength(1)
    expect((await post(other)).statusCode).toBe(409)
  })

  test('429: a fifth live sync of the organization; one of its four is joined', async () => {
    const busy = await harness.organization()
    const owner = await busy.user('Owner')
    const ids: number[] = []
    for (let n = 0; n < 5; n += 1) ids.push(await connectedAccount(harness, busy.id))
    const post = async (id: number) => owner.post(`/api/cloud/accounts/${id}/sync`)
    const answers = await Promise.all(ids.map(post))
    const refusals = answers.filter(({ statusCode }) => statusCode !== 202)
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual([429])
    const refused = answers.findIndex(({ statusCode }) => statusCode === 429)
    const started = answers.findIndex(({ statusCode }) => statusCode === 202)
    expect(answers[refused]?.json().code).toBe('too_many_syncs')
    expect(answers[refused]?.headers['retry-after']).toBe('60')
    expect((await post(ids[started] ?? 0)).statusCode).toBe(202)

    const { store } = harness.deps
    await store
      .platform('cloud_accounts')
      .where({ id: ids[refused] })
      .update({ nextSyncAt: new Date(Date.now() + 3_600_000) })
    const changed = { credentials: { roleArn: 'arn:aws:iam::210987654321:role/cloud-control' } }
    const url = `/api/cloud/accounts/${ids[refused]}`
    expect((await owner.patch(url, changed)).statusCode).toBe(200)
    expect((await owner.get(`${url}/syncs`)).json().syncs).toEqual([])
    const row = await store.platform('cloud_accounts').where({ id: ids[refused] }).first()
    expect(row.nextSyncAt.getTime()).toBeLessThan(Date.now() + 1_000)
  })

  test('a change of credentials ends the sync that began before it, and starts another', async () => {
    const id = await connectedAccount(harness, org.id)
    const url = `/api/cloud/accounts/${id}`
    const before = (await admin.post(`${url}/sync`)).json().sync
    const changed = { credentials: { roleArn: 'arn:aws:iam::210987654321:role/cloud-control' } }
    expect((await admin.patch(url, changed)).statusCode).toBe(200)
    const { syncs } = (await admin.get(`${url}/syncs`)).json()
    expect(syncs).toMatchObject([
      { state: 'running', trigger: 'connect' },
      { id: before.id, state: 'failed', reason: expect.stringContaining('was changed') },
    ])
  })

  test('403: without the capability, audited as cloud.rbac_denied', async () => {
    const id = await connectedAccount(harness, org.id)
    const deployer = await org.user('Deployer')
    const answer = await deployer.post(`/api/cloud/accounts/${id}/sync`)
    expect(answer.statusCode).toBe(403)
    const { entries } = (await admin.get('/api/audit?event=cloud.rbac_denied')).json()
    expect(entries[0]).toMatchObject({ outcome: 'denied', actor: { id: deployer.id } })
    expect((await deployer.get(`/api/cloud/accounts/${id}/syncs`)).statusCode).toBe(200)
  })

  test('404: another organization’s account; an own sync under another account', async () => {
    const stranger = await (await harness.organization()).user('Owner')
    const id = await connectedAccount(harness, org.id)
    const other = await connectedAccount(harness, org.id)
    const { sync } = (await admin.post(`/api/cloud/accounts/${id}/sync`)).json()
    expect((await stranger.post(`/api/cloud/accounts/${id}/sync`)).statusCode).toBe(404)
    for (const [who, account] of [
      [stranger, id],
      [admin, other],
    ] as const)
      expect((await who.get(`/api/cloud/accounts/${account}/syncs/${sync.id}`)).statusCode).toBe(
        404,
      )
  })

  test('400: an unknown query parameter and a body', async () => {
    const id = await connectedAccount(harness, org.id)
    expect((await admin.get(`/api/cloud/accounts/${id}/syncs?sort=id`)).statusCode).toBe(400)
    expect((await admin.post(`/api/cloud/accounts/${id}/sync`, { full: true })).statusCode).toBe(
      400,
    )
  })
})
