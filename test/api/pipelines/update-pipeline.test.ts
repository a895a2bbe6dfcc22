import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveApplication } from '../../../store/runs/move-application.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// Without a worker a run stays live until the test ends it.
describe('PATCH /api/pipelines/{id}', () => {
  let harness: GitHarness
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  })
  afterAll(async () => harness?.close())

  const connect = async (user: TestUser) => {
    counter += 1
    const repo = `acme/changed-${counter}`
    await harness.peer.createRepository(repo, { 'main.js': '// hi\n' })
    const made = await user.post(
      '/api/git/connections',
      harness.body(repo, { repoType: 'application' }),
    )
    expect(made.statusCode, made.body).toBe(201)
    return { appGitConnectionId: Number(made.json().connection.id), appRepo: repo }
  }
  const application = async (more: Record<string, unknown> = {}) => {
    const org = await harness.organization()
    const [owner, deployer] = [await org.user('Owner'), await org.user('Deployer')]
    const source = await connect(owner)
    const made = await deployer.post('/api/pipelines', { name: 'shop', ...source, ...more })
    expect(made.statusCode, made.body).toBe(201)
    const { pipeline } = made.json()
    return { org, owner, deployer, source, pipeline, url: `/api/pipelines/${pipeline.id}` }
  }
  const code = (answer: { statusCode: number; json(): { code: string } }) => [
    answer.statusCode,
    answer.json().code,
  ]

  test('201, 200: all settings are kept, shown in every answer and audited by what changed', async () => {
    const { owner, deployer, pipeline, url } = await application({
      appPath: './web/',
      triggers: { push: true, paths: ['web/**'] },
      sbom: 'required',
    })
    expect(pipeline).toMatchObject({
      appBranch: null,
      appPath: 'web',
      triggers: { push: true, paths: ['web/**'], tags: [] },
      webhook: { state: 'pending', reason: null },
      rollbackApproval: 'always',
      sbom: 'required',
      agentWaitMinutes: 30,
    })
    const changed = await deployer.patch(url, {
      name: ' store ',
      strategy: 'Canary',
      appBranch: 'refs/heads/next',
      triggers: { tags: ['v*', 'v*'] },
      agentWaitMinutes: 5,
      sbom: 'required',
    })
    expect(changed.statusCode, changed.body).toBe(200)
    expect(changed.json().pipeline).toEqual({
      ...pipeline,
      name: 'store',
      strategy: 'Canary',
      appBranch: 'next',
      triggers: { push: true, paths: ['web/**'], tags: ['v*'] },
      agentWaitMinutes: 5,
    })
    expect((await deployer.get(url)).json().pipeline).toEqual(changed.json().pipeline)
    expect((await deployer.get('/api/pipelines?managed=false')).json().pipelines).toEqual([
      changed.json().pipeline,
    ])
    const { entries } = (await owner.get('/api/audit?event=pipeline.updated')).json()
    expect(entries).toHaveLength(1)
    expect(entries[0].detail).toEqual({
      name: { from: 'shop', to: 'store' },
      strategy: { from: null, to: 'Canary' },
      appBranch: { from: null, to: 'next' },
      triggerTags: { from: [], to: ['v*'] },
      agentWaitMinutes: { from: 30, to: 5 },
    })
  })

  test('200: the audit entry of many long patterns has 8 KiB at most', async () => {
    const { owner, deployer, pipeline, url } = await application()
    const patterns = (word: string, length: number) =>
      Array.from({ length: 50 }, (_, at) => `${word}${at}/${'ü'.repeat(length)}`)
    // Stored before the patterns of a pipeline had a limit together.
    await harness.deps.store
      .platform('pipelines')
      .where({ id: pipeline.id })
      .update({
        name: 'shop-a',
        triggerPaths: patterns('a', 480),
        triggerTags: patterns('a', 480),
      })
    const triggers = { paths: patterns('b', 479), tags: patterns('b', 479) }
    const changed = await deployer.patch(url, { triggers, name: 'shop-b' })
    expect(changed.statusCode, changed.body).toBe(200)
    expect(changed.json().pipeline.triggers).toMatchObject(triggers)
    const { entries } = (await owner.get('/api/audit?event=pipeline.updated')).json()
    const [{ detail }] = entries
    expect(Buffer.byteLength(JSON.stringify(detail))).toBeLessThanOrEqual(8_192)
    expect(detail.name).toEqual({ from: 'shop-a', to: 'shop-b' })
    expect(detail.triggerPaths.from[0]).toMatch(/^a0\/ü+…$/)
    expect(detail.triggerPaths.to[1]).toMatch(/^b1\/ü+…$/)
    expect(detail.truncated.entries).toEqual({
      'triggerPaths.from': 50,
      'triggerPaths.to': 50,
      'triggerTags.from': 50,
      'triggerTags.to': 50,
    })
    expect(detail.truncated.bytes).toBeGreaterThan(190_000)
  })

  test('200: sent back as it is, it is no change: no audit entry and no author', async () => {
    const { org, owner, deployer, source, pipeline, url } = await application()
    const { name, triggers, sbom, appBranch, appPath } = pipeline
    const again = { name, triggers, sbom, appBranch, appPath, ...source }
    const answer = await deployer.patch(url, again)
    expect([answer.statusCode, answer.json().pipeline]).toEqual([200, pipeline])
    expect((await owner.get('/api/audit?event=pipeline.updated')).json().entries).toEqual([])
    const rows = () =>
      harness.deps.store
        .platform('pipeline_authorship')
        .where({ organizationId: org.id })
        .orderBy('id')
        .select('userId', 'what')
    const created = { userId: deployer.id, what: 'created' }
    // Of the build and of the deployment.
    expect(await rows()).toEqual([created, created])
    await deployer.patch(url, { sbom: 'required' })
    expect(await rows()).toEqual([created, created, { userId: deployer.id, what: 'sbom' }])
  })

  test('403: that a rollback is approved once is for holders of manage_cloud_accounts, and audited', async () => {
    const { owner, deployer, source, pipeline, url } = await application()
    expect(code(await deployer.patch(url, { rollbackApproval: 'once' }))).toEqual([
      403,
      'forbidden',
    ])
    const made = { name: 'other', ...source, rollbackApproval: 'once' }
    expect(code(await deployer.post('/api/pipelines', made))).toEqual([403, 'forbidden'])
    const { entries } = (await owner.get('/api/audit?event=pipeline.denied')).json()
    expect(entries.map(({ target }: { target: { id?: number } | null }) => target?.id)).toEqual([
      undefined,
      pipeline.id,
    ])
    expect((await owner.patch(url, { rollbackApproval: 'once' })).statusCode).toBe(200)
    // Back to the stricter rule, anybody may lead it.
    expect((await deployer.patch(url, { rollbackApproval: 'always' })).statusCode).toBe(200)
  })

  test('403: another target than production, while there are secrets of its deployment', async () => {
    const { org, owner, deployer, pipeline, url } = await application()
    const [production, other] = [
      await org.workspace({ by: owner }),
      await org.workspace({ by: owner }),
    ]
    await harness.deps.store
      .platform('workspaces')
      .where({ id: production.id })
      .update({ criticality: 'production' })
    const to = async (by: TestUser, targetWorkspaceId: number | null) =>
      (await by.patch(url, { targetWorkspaceId })).statusCode
    expect(await to(deployer, production.id)).toBe(200)
    expect(await to(deployer, other.id)).toBe(200)
    expect(await to(deployer, production.id)).toBe(200)
    const secret = { key: 'TOKEN', value: 'of-production-4711', phase: 'deploy', sensitive: true }
    expect((await deployer.post(`${url}/variables`, secret)).statusCode).toBe(201)
    expect([await to(deployer, other.id), await to(deployer, null)]).toEqual([403, 403])
    const { entries } = (await owner.get('/api/audit?event=pipeline.denied')).json()
    expect(entries[0]).toMatchObject({
      target: { id: pipeline.id },
      detail: { what: 'targetWorkspaceId' },
    })
    expect(await to(owner, other.id)).toBe(200)
  })

  test('409: a managed pipeline, a name that is taken, and a source or target under a live run', async () => {
    const { org, owner, deployer, source, pipeline, url } = await application()
    const workspace = await org.workspace({ by: owner })
    const managed = `/api/pipelines/${workspace.pipelineId}`
    expect(code(await deployer.patch(managed, { name: 'mine' }))).toEqual([409, 'managed_pipeline'])
    for (const refused of [{ name: 'provision-x' }, { targetWorkspaceId: null }])
      expect((await deployer.patch(managed, refused)).statusCode).toBe(400)
    const { pipeline: other } = (
      await deployer.post('/api/pipelines', { name: 'other', ...source })
    ).json()
    const taken = await deployer.patch(url, { name: 'OTHER' })
    expect([...code(taken), taken.json().existingId]).toEqual([409, 'name_taken', other.id])
    const { run } = (await deployer.post(`${url}/run`, {})).json()
    const elsewhere = await connect(owner)
    for (const change of [
      { appPath: 'web' },
      { appBranch: 'next' },
      { targetWorkspaceId: workspace.id },
      { appRepo: elsewhere.appRepo },
      elsewhere,
    ])
      expect(code(await deployer.patch(url, change)), JSON.stringify(change)).toEqual([
        409,
        'run_in_progress',
      ])
    expect((await deployer.patch(url, { strategy: 'rolling' })).statusCode).toBe(200)
    await deployer.post(`${url}/runs/${run.id}/cancel`, {})
    const moved = await deployer.patch(url, { targetWorkspaceId: workspace.id, ...elsewhere })
    expect(moved.json().pipeline, moved.body).toMatchObject({
      ...elsewhere,
      targetWorkspaceName: workspace.name,
    })
    const cleared = await deployer.patch(url, { targetWorkspaceId: null })
    expect(cleared.json().pipeline.targetWorkspaceId).toBeNull()
    expect(pipeline.targetWorkspaceId).toBeNull()
  })

  test('400: what is no setting of this kind, or no branch, folder, pattern or time', async () => {
    const { org, owner, deployer, url } = await application()
    const workspace = await org.workspace({ by: owner })
    const infra = await deployer.post('/api/pipelines', {
      name: 'infra',
      kind: 'infrastructure',
      targetWorkspaceId: workspace.id,
    })
    const infraUrl = `/api/pipelines/${infra.json().pipeline.id}`
    const settings = [
      { appBranch: 'main' },
      { appPath: '' },
      { triggers: {} },
      { rollbackApproval: 'always' },
      { sbom: 'optional' },
      { agentWaitMinutes: 30 },
    ]
    for (const setting of settings) {
      expect((await deployer.patch(infraUrl, setting)).statusCode, JSON.stringify(setting)).toBe(
        400,
      )
      const made = { name: 'i', kind: 'infrastructure', targetWorkspaceId: workspace.id }
      expect((await deployer.post('/api/pipelines', { ...made, ...setting })).statusCode).toBe(400)
    }
    expect((await deployer.patch(infraUrl, { targetWorkspaceId: null })).statusCode).toBe(400)
    expect((await deployer.patch(infraUrl, { name: 'renamed' })).statusCode).toBe(200)
    for (const wrong of [
      { appBranch: 'a..b' },
      { appPath: '../x' },
      { appPath: 'a/.git/b' },
      { triggers: { paths: ['../x'] } },
      { triggers: { paths: Array.from({ length: 51 }, (_, n) => `p${n}`) } },
      { triggers: { push: 'yes please' } },
      { agentWaitMinutes: 0 },
      { agentWaitMinutes: 1_441 },
      { rollbackApproval: 'never' },
      { kind: 'infrastructure' },
      { name: ' ' },
    ])
      expect((await deployer.patch(url, wrong)).statusCode, JSON.stringify(wrong)).toBe(400)
  })

  test('404: of another organization, also a connection or target of one', async () => {
    const [one, other] = [await application(), await application()]
    const target = await other.org.workspace({ by: other.owner })
    expect((await one.owner.patch(other.url, { sbom: 'required' })).statusCode).toBe(404)
    for (const change of [
      { appGitConnectionId: other.source.appGitConnectionId },
      { targetWorkspaceId: target.id },
    ])
      expect((await one.owner.patch(one.url, change)).statusCode).toBe(404)
  })

  test('a change of a variable ends what waits to be deployed; of two changes at once both are kept', async () => {
    const { org, deployer, pipeline, url } = await application()
    const { run } = (await deployer.post(`${url}/run`, {})).json()
    await harness.deps.store.tenant(org.id, async (tenant) => {
      for (const [from, to] of [
        ['queued', 'sourcing'],
        ['sourcing', 'building'],
        ['building', 'awaiting_approval'],
      ] as const)
        expect(await moveApplication(tenant, run.id, { from, to })).toBe(true)
    })
    const both = await Promise.all([
      deployer.patch(url, { sbom: 'required' }),
      deployer.patch(url, { agentWaitMinutes: 7 }),
    ])
    expect(both.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect((await deployer.get(url)).json().pipeline).toMatchObject({
      sbom: 'required',
      agentWaitMinutes: 7,
    })
    const variable = { key: 'WORD', value: 'hi', phase: 'deploy' }
    expect((await deployer.post(`${url}/variables`, variable)).statusCode).toBe(201)
    const shown = (await deployer.get(`${url}/runs/${run.id}`)).json().run
    expect(shown).toMatchObject({ state: 'failed', reason: 'plan_stale' })
    expect(shown.endMessage).toContain('variable WORD')
    expect(pipeline.id).toBeGreaterThan(0)
  })
})
