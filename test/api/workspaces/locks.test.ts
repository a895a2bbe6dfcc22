import { unwrap } from '../../../store/driver/tenant.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient } from './state-client.ts'
import { runInPhase } from './run-in-phase.ts'

describe('POST /api/workspaces/{id}/lock and /unlock', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('200: a lock shows its holder, who may release it', async () => {
    const org = await harness.organization()
    const [one, two] = [await org.user('Deployer'), await org.user('Deployer')]
    const { url } = await org.workspace()
    const taken = await one.post(`${url}/lock`, { reason: 'maintenance' })
    expect(taken.json().workspace.locked).toMatchObject({
      holder: { kind: 'user', label: one.email, alive: true },
      reason: 'maintenance',
    })
    const again = await two.post(`${url}/lock`, { reason: 'me too' })
    expect(again.statusCode).toBe(423)
    expect(again.json().error).toContain(one.email)
    expect((await two.post(`${url}/unlock`, {})).statusCode).toBe(423)
    expect((await two.post(`${url}/unlock`, { force: true })).statusCode).toBe(403)
    expect((await one.post(`${url}/unlock`)).json().workspace.locked).toBeNull()
    expect((await one.post(`${url}/unlock`, {})).json().code).toBe('not_locked')
  })

  test('200: force releases another user’s lock, also OpenTofu’s, and makes the caller an author', async () => {
    const org = await harness.organization()
    const [deployer, sre] = [await org.user('Deployer'), await org.user('SRE · Cloud Admin')]
    const workspace = await org.workspace()
    const tofu = stateClient(harness.app, workspace, await deployer.token())
    await tofu.lock()
    const { locked } = (await sre.get(workspace.url)).json().workspace
    expect(locked.holder).toMatchObject({ kind: 'cli', label: deployer.email, alive: null })
    expect((await sre.post(`${workspace.url}/unlock`, {})).statusCode).toBe(423)
    expect((await sre.post(`${workspace.url}/unlock`, { force: true })).statusCode).toBe(200)
    const authors = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('workspace_authorship').where({ userId: sre.id }).pluck('what'),
    )
    expect(authors).toEqual(['lock'])
  })

  test('409: UNLOCK with another ID; 403: another user’s lock; 200: a lock that is gone', async () => {
    const org = await harness.organization()
    const [one, two] = [await org.user('Deployer'), await org.user('Deployer')]
    const workspace = await org.workspace()
    const mine = stateClient(harness.app, workspace, await one.token())
    const theirs = stateClient(harness.app, workspace, await two.token())
    const info = lockInfo()
    await mine.lock(info)
    expect((await mine.unlock(lockInfo())).json().code).toBe('lock_mismatch')
    expect((await mine.unlock({})).statusCode).toBe(400)
    expect((await theirs.unlock(info)).statusCode).toBe(403)
    expect((await mine.unlock(info)).statusCode).toBe(200)
    expect((await mine.unlock(info)).statusCode).toBe(200)
  })

  test('200: a lock blocks queued runs, and the next run starts when it is released', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace()
    const tofu = stateClient(harness.app, workspace, await user.token())
    const info = lockInfo()
    await tofu.lock(info)
    const started = await user.post(`${workspace.url}/apply`, {})
    expect(started.statusCode).toBe(201)
    const { run } = started.json()
    expect(run.blockedBy).toMatchObject({ kind: 'user_lock', holder: user.email })
    await tofu.unlock(info)
    const after = (await user.get(`${workspace.url}/runs/${run.id}`)).json().run
    expect(after.stages[0].state).toBe('running')
  })

  test('200: releasing the lock wakes an apply that waits for it', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace()
    await user.post(`${workspace.url}/lock`, { reason: 'a migration' })
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: user.id }
    const run = await runInPhase(harness.deps, place, 'apply_queued')
    const waiting = (await user.get(`${workspace.url}/runs/${run.id}`)).json().run
    expect(waiting.blockedBy).toMatchObject({ kind: 'user_lock', reason: 'a migration' })
    await user.post(`${workspace.url}/unlock`, {})
    const woken = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('outbox').where({ kind: 'signal' }).pluck('workflow_id'),
    )
    expect(woken).toEqual([`org-${org.id}/infra-run/${run.id}`])
  })

  test('200: one of many concurrent lock requests succeeds', async () => {
    const org = await harness.organization()
    const user = await org.user('Deployer')
    const workspace = await org.workspace()
    const tofu = stateClient(harness.app, workspace, await user.token())
    const all = await Promise.all([
      ...[1, 2, 3].map(async () => user.post(`${workspace.url}/lock`, {})),
      ...[1, 2, 3].map(async () => tofu.lock()),
    ])
    expect(all.filter(({ statusCode }) => statusCode === 200).length).toBe(1)
    expect(all.filter(({ statusCode }) => statusCode === 423).length).toBe(5)
  })
})
