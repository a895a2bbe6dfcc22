import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { bytesFromPostgres } from '../../harness/bytes-from-postgres.ts'
import { countStatements } from '../../harness/count-statements.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { lockInfo, stateClient } from './state-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const url = '/api/workspaces'
type Listed = { id: number; name: string }

const page = async (user: TestUser, query = '') => {
  const answer = await user.get(`${url}?${query}`)
  expect(answer.statusCode, `${query}: ${answer.body}`).toBe(200)
  return answer.json() as { workspaces: Listed[]; nextCursor: string | null }
}
const namesOf = async (user: TestUser, query = '') =>
  (await page(user, query)).workspaces.map(({ name }) => name)

const change = async (org: TestOrganization, id: number, to: object) =>
  harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('workspace_runs').where({ id }).update(to),
  )

async function run(org: TestOrganization, user: TestUser, workspace: TestWorkspace, to: object) {
  const started = await user.post(`${workspace.url}/apply`, {})
  expect(started.statusCode, started.body).toBe(201)
  const { id } = started.json().run
  await change(org, id, to)
  return id
}

/** Five workspaces, whose names have another order than their creation and than their newest runs. */
async function world(org: TestOrganization) {
  const [owner, author] = [await org.user('Owner'), await org.user('Deployer')]
  const made: Record<string, TestWorkspace> = {}
  for (const name of ['mail', 'shop-eu', 'data', 'shop-us', 'archive']) {
    const criticality = name.startsWith('shop') ? 'production' : 'standard'
    made[name] = await org.workspace({ by: author, criticality, fields: { name } })
  }
  const of = (name: string) => {
    const workspace = made[name]
    if (!workspace) throw new Error(name)
    return workspace
  }
  const over = { endedAt: new Date() }
  await run(org, author, of('shop-us'), { ...over, phase: 'failed', reason: 'plan_errored' })
  await run(org, author, of('mail'), { ...over, phase: 'failed', reason: 'apply_errored' })
  await run(org, author, of('data'), { ...over, phase: 'succeeded' })
  await run(org, author, of('shop-eu'), { phase: 'awaiting_approval' })
  const again = await run(org, author, of('mail'), {
    ...over,
    phase: 'succeeded',
    summary: { import: 1, add: 2, change: 1, destroy: 3 },
  })
  return { owner, author, of, again }
}

test('200: each order, forwards and backwards, also page by page', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  await world(others)
  const { owner } = await world(org)
  const created = ['mail', 'shop-eu', 'data', 'shop-us', 'archive']
  const orders: Record<string, string[]> = {
    id: created,
    name: ['archive', 'data', 'mail', 'shop-eu', 'shop-us'],
    criticality: ['shop-eu', 'shop-us', 'archive', 'data', 'mail'],
    // One without a run comes first, and last in the other direction.
    lastRunAt: ['archive', 'shop-us', 'data', 'shop-eu', 'mail'],
  }
  expect(await namesOf(owner)).toEqual(created)
  for (const [sort, names] of Object.entries(orders))
    for (const [sign, expected] of [
      ['', names],
      ['-', names.toReversed()],
    ] as const) {
      expect(await namesOf(owner, `sort=${sign}${sort}`), `${sign}${sort}`).toEqual(expected)
      const walked: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { workspaces, nextCursor } = await page(
          owner,
          `sort=${sign}${sort}&limit=2${cursor && `&cursor=${cursor}`}`,
        )
        walked.push(...workspaces.map(({ name }) => name))
        cursor = nextCursor
      }
      expect(walked, `${sign}${sort} by pages`).toEqual(expected)
    }
})

test('200: by how the newest run ended', async () => {
  const org = await harness.organization()
  const { owner, of } = await world(org)
  const rejected = { phase: 'failed', reason: 'rejected', endedAt: new Date() }
  await run(org, owner, of('archive'), rejected)
  expect(await namesOf(owner, 'outcome=failed&sort=name')).toEqual(['shop-us'])
  expect(await namesOf(owner, 'outcome=rejected&sort=name')).toEqual(['archive'])
  expect(await namesOf(owner, 'outcome=rejected&outcome=succeeded&sort=name')).toEqual([
    'archive',
    'data',
    'mail',
  ])
  expect(await namesOf(owner, 'outcome=denied')).toEqual([])
  expect(await namesOf(owner, 'outcome=failed&state=none')).toEqual([])
})

test('200: filters', async () => {
  const [org, others] = [await harness.organization(), await harness.organization()]
  const theirs = await world(others)
  const { owner, of } = await world(org)
  const cases: Array<[string, string[]]> = [
    ['state=failed', ['shop-us']],
    ['state=succeeded', ['data', 'mail']],
    ['state=running', ['shop-eu']],
    ['state=canceled', []],
    ['state=none', ['archive']],
    ['state=none&state=failed', ['archive', 'shop-us']],
    ['awaitingApproval=true', ['shop-eu']],
    ['awaitingApproval=true&state=none', []],
    ['awaitingApproval=false&state=running', []],
    ['awaitingApproval=false&state=none', ['archive']],
    ['criticality=production', ['shop-eu', 'shop-us']],
    ['criticality=production&criticality=standard&q=a', ['archive', 'data', 'mail']],
    ['criticality=production&state=failed', ['shop-us']],
    ['q=SHOP', ['shop-eu', 'shop-us']],
    ['q=%25', []],
    ['q=_', []],
    ['q=shop&state=failed', ['shop-us']],
    [`id=${of('data').id}`, ['data']],
    [`id=${of('data').id}&id=${of('mail').id}`, ['data', 'mail']],
    // An id of another organization is one of nothing.
    [`id=${of('data').id}&id=${theirs.of('mail').id}`, ['data']],
  ]
  for (const [query, expected] of cases)
    expect(await namesOf(owner, `sort=name&${query}`), query).toEqual(expected)
})

test('200: the newest run that can apply, with who started it and what it changes', async () => {
  const org = await harness.organization()
  const { owner, author, of, again } = await world(org)
  expect((await author.post(`${of('mail').url}/plan`, {})).statusCode).toBe(201)
  const { workspaces } = await page(owner, 'q=mail')
  expect(workspaces).toMatchObject([
    {
      name: 'mail',
      lastRun: {
        id: again,
        number: 2,
        state: 'succeeded',
        reason: null,
        queued: false,
        summary: { import: 1, add: 2, change: 1, destroy: 3 },
        author: { id: author.id, label: author.email },
        origin: { kind: 'person', id: author.id },
        commitSha: null,
      },
    },
  ])
  expect((await page(owner, 'q=archive')).workspaces).toMatchObject([{ lastRun: null }])
})

test('400: an unknown filter, an unknown value, and a cursor of another order', async () => {
  const org = await harness.organization()
  const { owner } = await world(org)
  const { nextCursor } = await page(owner, 'sort=name&limit=2')
  for (const query of [
    'status=failed',
    'state=broken',
    'sort=-state',
    'id=0',
    `cursor=${nextCursor}`,
    'sort=name&cursor=standard.data',
    'sort=criticality&cursor=secret.data',
    'sort=lastRunAt&cursor=7',
    'cursor=%27%20or%201=1',
    Array.from({ length: 101 }, (_, n) => `id=${n + 1}`).join('&'),
  ])
    expect((await owner.get(`${url}?${query}`)).statusCode, query).toBe(400)
  // A number above PostgreSQL’s integers is beyond the last row.
  expect(await namesOf(owner, 'cursor=99999999999999999999')).toEqual([])
  expect(await namesOf(owner, 'sort=lastRunAt&cursor=99999999999.99999999999')).toEqual([])
})

test('a page of 20 workspaces takes as many statements as a page of 3, also where runs hold locks', async () => {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  for (let n = 0; n < 20; n += 1) {
    const workspace = await org.workspace({ by: author })
    const id = await run(org, author, workspace, { phase: 'applying' })
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db, organizationId } = unwrap(tenant)
      await db('workspace_locks').insert({
        organizationId,
        workspaceId: workspace.id,
        kind: 'run',
        workspaceRunId: id,
        label: `run ${id}`,
      })
      await db('apply_attempts').insert({
        organizationId,
        workspaceRunId: id,
        fence: 1,
        worker: 'test',
      })
    })
  }
  const counted = async (limit: number) => {
    const path = `${url}?sort=-lastRunAt&state=running&limit=${limit}`
    const { answer, statements } = await countStatements(async () => author.get(path))
    expect(answer.json().workspaces.length).toBe(limit)
    expect(answer.json().workspaces[0].locked.holder).toMatchObject({
      label: 'run #1',
      alive: true,
    })
    return statements.length
  }
  const [few, all] = [await counted(3), await counted(20)]
  expect(few).toBe(all)
  expect(all).toBeLessThanOrEqual(16)
})

test('200: the info of locks is not read', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  // As long as each text of a lock may be.
  const text = 'é'.repeat(3_000)
  for (let n = 0; n < 8; n += 1) {
    const workspace = await org.workspace({ by: owner })
    const tofu = stateClient(harness.app, workspace, await owner.token())
    const taken = await tofu.lock(lockInfo({ Operation: text, Info: text, Who: text, Path: text }))
    expect(taken.statusCode, taken.body).toBe(200)
  }
  const { answer, bytes } = await bytesFromPostgres(async () => owner.get(url))
  const { workspaces } = answer.json()
  expect(workspaces).toHaveLength(8)
  expect(workspaces[0].locked.holder).toMatchObject({ kind: 'cli', label: owner.email })
  expect(bytes).toBeLessThan(15_000)
})
