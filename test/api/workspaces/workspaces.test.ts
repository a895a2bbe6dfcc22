import { unwrap } from '../../../store/driver/tenant.ts'
import { pipelines } from '../../../store/pipelines/pipelines.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditEntriesOf } from '../../../store/audit/audit-entries.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { stateClient, lockInfo, stateOf } from './state-client.ts'
import { runInPhase } from './run-in-phase.ts'

const notFound = { error: 'Not found', code: 'not_found' }

describe('workspaces', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('201: a workspace is created with its pipeline and audit entries, and has all fields', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const made = await user.post('/api/workspaces', { name: 'net', costLimitMonthly: 12.5 })
    expect(made.statusCode).toBe(201)
    const { workspace } = made.json()
    expect(workspace).toMatchObject({
      name: 'net',
      criticality: 'standard',
      engine: 'opentofu',
      source: { kind: 'inline' },
      cloudAccountId: null,
      gitConnectionId: null,
      path: '',
      autoApply: false,
      costLimitMonthly: 12.5,
      currency: 'USD',
      unpriced: 'deny',
      confirm: 'none',
      stateSerial: null,
      configurationVersion: null,
      lastRun: null,
      warnings: [],
      locked: null,
      needsRefresh: false,
    })
    const pipeline = await user.get(`/api/pipelines/${workspace.pipelineId}`)
    expect(pipeline.json().pipeline).toMatchObject({ name: 'provision-net', managed: true })
    const audit = await harness.deps.store.tenant(org.id, async (tenant) =>
      auditEntriesOf(tenant, { kind: 'workspace', id: String(workspace.id) }),
    )
    expect(audit.map(({ event }) => event)).toEqual(['workspace.created'])
  })

  test('400: names, unknown fields and a git source without its connection', async () => {
    const user = await (await harness.organization()).user('Deployer')
    for (const name of ['Net', '-net', 'a b', '', 'a'.repeat(64), 'n\n'])
      expect((await user.post('/api/workspaces', { name })).statusCode, name).toBe(400)
    const bodies = [
      { name: 'a', bogus: 1 },
      { name: 'a', source: { kind: 'git', repo: 'a/b' } },
      { name: 'a', path: '../b' },
      { name: 'a', costLimitMonthly: -1 },
    ]
    for (const body of bodies)
      expect((await user.post('/api/workspaces', body)).statusCode).toBe(400)
    expect((await user.get('/api/workspaces')).json().workspaces).toEqual([])
  })

  test('403: a Viewer may not create a workspace', async () => {
    const viewer = await (await harness.organization()).user('Viewer')
    expect((await viewer.post('/api/workspaces', { name: 'a' })).statusCode).toBe(403)
  })

  test('404: unknown connections and cloud accounts', async () => {
    const user = await (await harness.organization()).user('Owner')
    const git = { name: 'a', source: { kind: 'git', repo: 'a/b' }, gitConnectionId: 1 }
    expect((await user.post('/api/workspaces', git)).json()).toEqual(notFound)
    const cloud = await user.post('/api/workspaces', { name: 'a', cloudAccountId: 1 })
    expect(cloud.json()).toEqual(notFound)
  })

  test('404: another organization’s workspace, with any body', async () => {
    const workspace = await (await harness.organization()).workspace()
    const stranger = await (await harness.organization()).user('Owner')
    const answers = [
      await stranger.get(workspace.url),
      await stranger.patch(workspace.url, { bogus: 1 }),
      await stranger.patch(workspace.url, { name: 'x' }),
      await stranger.delete(workspace.url),
      await stranger.get('/api/workspaces/999999999'),
      await stranger.get('/api/workspaces/99999999999999999999'),
      await stranger.get('/api/workspaces/x'),
    ]
    for (const answer of answers) {
      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toEqual(notFound)
    }
    expect((await stranger.get('/api/workspaces')).json().workspaces).toEqual([])
  })

  test('409: two concurrent requests with one name create one workspace', async () => {
    const user = await (await harness.organization()).user('Deployer')
    const both = await Promise.all([1, 2].map(() => user.post('/api/workspaces', { name: 'twin' })))
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409])
    const taken = both.find(({ statusCode }) => statusCode === 409)?.json()
    const made = both.find(({ statusCode }) => statusCode === 201)?.json()
    expect(taken).toMatchObject({ code: 'name_taken', existingId: made.workspace.id })
  })

  test('200: a rename also renames the pipeline; 409: a name in use', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const [one, two] = [await org.workspace(), await org.workspace()]
    expect((await user.patch(one.url, { name: 'renamed' })).statusCode).toBe(200)
    const pipeline = await user.get(`/api/pipelines/${one.pipelineId}`)
    expect(pipeline.json().pipeline.name).toBe('provision-renamed')
    const taken = await user.patch(two.url, { name: 'renamed' })
    expect(taken.statusCode).toBe(409)
    expect(taken.json()).toMatchObject({ code: 'name_taken', existingId: one.id })
  })

  test('200: each page of the list starts after the previous page', async () => {
    const org = await harness.organization()
    const user = await org.user('Viewer')
    const made = [await org.workspace(), await org.workspace(), await org.workspace()]
    const first = (await user.get('/api/workspaces?limit=2')).json()
    const rest = (await user.get(`/api/workspaces?limit=2&cursor=${first.nextCursor}`)).json()
    const ids = [...first.workspaces, ...rest.workspaces].map(({ id }) => id)
    expect(ids).toEqual(made.map(({ id }) => id))
    expect(rest.nextCursor).toBeNull()
  })

  test('200: `q` finds part of a name in any case, of workspaces and of pipelines', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    for (const name of ['shop-eu', 'shop-us', 'data']) await user.post('/api/workspaces', { name })
    await (await harness.organization()).workspace()
    const named = async (noun: 'workspaces' | 'pipelines', q: string) => {
      const answer = (await user.get(`/api/${noun}?q=${encodeURIComponent(q)}`)).json()
      return answer[noun].map(({ name }: { name: string }) => name)
    }
    expect(await named('workspaces', 'SHOP')).toEqual(['shop-eu', 'shop-us'])
    expect(await named('pipelines', 'shop-e')).toEqual(['provision-shop-eu'])
    // The wildcards of LIKE are matched literally.
    expect(await named('workspaces', '%')).toEqual([])
    expect(await named('pipelines', '_')).toEqual([])
    expect((await user.get('/api/workspaces?q=')).statusCode).toBe(400)
  })

  test('200, 409: an application pipeline is deleted once it has no live runs', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace({ by: user })
    const body = { name: 'mine', kind: 'infrastructure', targetWorkspaceId: workspace.id }
    const { id } = (await user.post('/api/pipelines', body)).json().pipeline
    const started = await user.post(`/api/pipelines/${id}/run`, {})
    expect(started.statusCode, started.body).toBe(201)
    const refused = await user.delete(`/api/pipelines/${id}`)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'run_in_progress'])
    await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_runs')
        .where({ organizationId: org.id })
        .update({ phase: 'canceled' }),
    )
    expect((await user.delete(`/api/pipelines/${id}`)).statusCode).toBe(200)
    expect((await user.get(`/api/pipelines/${id}`)).statusCode).toBe(404)
  })

  test('403: a Deployer may not change the guards of runs, and the attempt is audited', async () => {
    const org = await harness.organization()
    const deployer = await org.user('Deployer')
    const workspace = await org.workspace({
      criticality: 'production',
      fields: { costLimitMonthly: 100, confirm: 'destroys' },
    })
    const changes = [
      { criticality: 'standard' },
      { costLimitMonthly: 1_000 },
      { costLimitMonthly: null },
      { unpriced: 'allow' },
      { autoApply: true },
      { cloudAccountId: 1 },
      { gitConnectionId: 1 },
      { confirm: 'none' },
      { name: 'smuggled', costLimitMonthly: 99 },
    ]
    for (const change of changes) {
      const refused = await deployer.patch(workspace.url, change)
      expect(refused.statusCode, JSON.stringify(change)).toBe(403)
      expect(refused.json().code).toBe('forbidden')
    }
    expect((await deployer.delete(workspace.url)).statusCode).toBe(403)
    const same = {
      criticality: 'production',
      costLimitMonthly: 100,
      unpriced: 'deny',
      confirm: 'destroys',
    }
    expect((await deployer.patch(workspace.url, same)).statusCode).toBe(200)
    const audit = await harness.deps.store.tenant(org.id, async (tenant) =>
      auditEntriesOf(tenant, { kind: 'workspace', id: String(workspace.id) }),
    )
    expect(audit.filter(({ event }) => event === 'workspace.denied').length).toBeGreaterThan(5)
    expect(audit.some(({ event }) => event === 'workspace.updated')).toBe(false)
  })

  test('200: a person who changes a guard becomes an author of the next run', async () => {
    const org = await harness.organization()
    const sre = await org.user('SRE · Cloud Admin')
    const workspace = await org.workspace({ fields: { costLimitMonthly: 100 } })
    const changed = await sre.patch(workspace.url, { costLimitMonthly: null })
    expect(changed.json().workspace.costLimitMonthly).toBeNull()
    const authors = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant)
        .db('workspace_authorship')
        .where({ workspaceId: workspace.id, userId: sre.id })
        .pluck('what'),
    )
    expect(authors).toEqual(['costLimitMonthly'])
    const { entries } = (await sre.get('/api/audit?event=workspace.updated')).json()
    expect(entries[0].detail).toEqual({ costLimitMonthly: { from: 100, to: null } })
  })

  test('200: a delete removes infrastructure pipelines; 409 while an application pipeline deploys here', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const ids = await harness.deps.store.tenant(org.id, async (tenant) => {
      const all = pipelines(tenant)
      const target = { targetWorkspaceId: workspace.id }
      const shop = await all.create({ name: 'shop', kind: 'application', ...target })
      const more = await all.create({ name: 'more', kind: 'infrastructure', ...target })
      return { shop: shop.id, more: more.id }
    })
    const refused = await owner.delete(workspace.url)
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({
      code: 'workspace_in_use',
      details: [{ path: `pipelines/${ids.shop}`, message: 'shop' }],
    })
    expect((await owner.get(workspace.url)).statusCode).toBe(200)
    expect((await owner.delete(`/api/pipelines/${ids.shop}`)).statusCode).toBe(200)
    expect((await owner.delete(workspace.url)).json()).toEqual({ ok: true })
    for (const id of [ids.more, workspace.pipelineId])
      expect((await owner.get(`/api/pipelines/${id}`)).statusCode).toBe(404)
    const { entries } = (await owner.get('/api/audit?event=pipeline')).json()
    expect(
      entries.map((entry: { event: string; target: { id: number } }) => [
        entry.event,
        entry.target.id,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['pipeline.deleted', ids.more],
        ['pipeline.deleted', workspace.pipelineId],
      ]),
    )
  })

  test('409: a workspace with a live run, a state with resources or a lock is not deleted', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const client = stateClient(harness.app, workspace, await owner.token())
    const info = lockInfo()
    await client.lock(info)
    await client.write(stateOf(1), info.ID)
    expect((await owner.delete(workspace.url)).json().code).toBe('locked')
    await client.unlock(info)
    expect((await owner.delete(workspace.url)).json().code).toBe('state_not_empty')
    const deployer = await org.user('Deployer')
    expect((await deployer.delete(`${workspace.url}?abandon=true`)).statusCode).toBe(403)

    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: owner.id }
    const run = await runInPhase(harness.deps, place, 'awaiting_approval')
    const live = await owner.delete(`${workspace.url}?abandon=true`)
    expect(live.statusCode).toBe(409)
    expect(live.json().code).toBe('run_in_progress')
    expect((await owner.post(`${workspace.url}/runs/${run.id}/cancel`)).statusCode).toBe(200)

    expect((await owner.delete(`${workspace.url}?abandon=true`)).json()).toEqual({ ok: true })
    expect((await owner.get(workspace.url)).statusCode).toBe(404)
    expect((await owner.get(`/api/pipelines/${workspace.pipelineId}`)).statusCode).toBe(404)
    expect((await client.read()).statusCode).toBe(404)
  })
})
