import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceOfWorkspace } from '../../../app/workspaces/source-of-workspace.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { workspaces } from '../../../store/workspaces/workspaces.ts'
import { deployWorld } from '../../harness/deploy/deploy-world.ts'
import { eventually } from '../../harness/eventually.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization, TestWorkspace } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { approvalWorld, type ApprovalWorld } from '../runs/approval-world.ts'

const path = '/api/git/connections'
const named = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`

// No worker: runs wait in the database.
describe('PATCH /api/git/connections/{id} leads what follows the connection to another place', () => {
  let harness: GitHarness
  let world: ApprovalWorld
  let org: TestOrganization
  let owner: TestUser
  let mover: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    world = approvalWorld(harness)
    org = await harness.organization()
    owner = await org.user('Owner')
    mover = await org.user('SRE · Cloud Admin')
  })
  afterAll(async () => harness?.close())

  /** A repository with a branch `main`, and a branch `other` of other files. */
  const repository = async (): Promise<string> => {
    const repo = `acme/${named('code')}`
    await harness.peer.createRepository(repo, { 'live/main.tf': '# main\n' })
    await harness.peer.branch(repo, 'main', 'other')
    await harness.peer.edit(repo, { branch: 'other', write: { 'live/main.tf': '# other\n' } })
    return repo
  }
  const connect = async (repo: string, by = owner): Promise<number> => {
    const made = await by.post(path, harness.body(repo, { repoType: 'application' }))
    expect(made.statusCode, made.body).toBe(201)
    return made.json().connection.id
  }
  const workspaceOf = async (gitConnectionId: number, source: object): Promise<TestWorkspace> => {
    const made = await owner.post('/api/workspaces', {
      name: named('ws'),
      criticality: 'production',
      gitConnectionId,
      path: 'live',
      source: { kind: 'git', ...source },
    })
    expect(made.statusCode, made.body).toBe(201)
    const { workspace } = made.json()
    return { ...workspace, url: `/api/workspaces/${workspace.id}` }
  }
  const move = async (by: TestUser, connectionId: number, change: object) =>
    expect((await by.patch(`${path}/${connectionId}`, change)).statusCode).toBe(200)
  const authoredBy = async ({ id }: TestUser): Promise<number[]> => {
    const rows: Array<{ workspaceId: number }> = await harness.deps.store
      .platform('workspace_authorship')
      .where({ userId: id })
      .orderBy('id')
      .select('workspaceId')
    return rows.map(({ workspaceId }) => workspaceId)
  }
  /** Whether what was read last counts as read from the place of now. */
  const isCurrent = async ({ id }: TestWorkspace): Promise<boolean> =>
    harness.deps.store.tenant(org.id, async (tenant) => {
      const { current } = await sourceOfWorkspace(tenant, await workspaces(tenant).get(id))
      return current
    })

  test('DELETE waits for a workspace that is being changed before it holds the connection', async () => {
    const connectionId = await connect(await repository())
    const { id } = await workspaceOf(connectionId, {})
    let deleted: ReturnType<TestUser['delete']> | undefined
    // As a PATCH of the workspace does it.
    await harness.deps.store.tenant(org.id, async (tenant) => {
      await workspaces(tenant).getForUpdate(id)
      deleted = owner.delete(`${path}/${connectionId}`)
      const waiting = async () =>
        (await harness.deps.store.platform('pg_locks').where({ granted: false })).length
      await expect.poll(waiting, { timeout: 20_000, interval: 20 }).toBeGreaterThan(0)
      await gitConnections(tenant).getForShare(connectionId)
    })
    expect((await deleted)?.statusCode).toBe(200)
  })

  test('200, then 403: to another branch: the plan is stale, and who moved it does not approve the next one', async () => {
    const connectionId = await connect(await repository())
    const follows = await workspaceOf(connectionId, {})
    const pinned = await workspaceOf(connectionId, { branch: 'main' })
    const run = await world.waitingRun(org, owner, follows)
    const ofPinned = await world.waitingRun(org, owner, pinned)
    expect([await isCurrent(follows), await isCurrent(pinned)]).toEqual([true, true])

    await move(mover, connectionId, { defaultBranch: 'other' })

    expect(await world.seen(owner, follows, run)).toMatchObject({
      state: 'failed',
      reason: 'plan_stale',
      endMessage: expect.stringContaining(`of the Git connection changed by ${mover.email}`),
    })
    expect(await world.seen(owner, pinned, ofPinned)).toMatchObject({ awaitingApproval: true })
    expect([await isCurrent(follows), await isCurrent(pinned)]).toEqual([false, true])
    expect(await authoredBy(mover)).toEqual([follows.id])
    const next = await world.waitingRun(org, owner, follows)
    expect(await world.verdict(mover, next)).toBe('403 approver_is_author')
    expect(await world.verdict(mover, ofPinned)).toBe('approved')
  })

  test('200: to another repository: also a workspace with a branch of its own, none with a repository of its own', async () => {
    const repo = await repository()
    const connectionId = await connect(repo)
    const follows = await workspaceOf(connectionId, {})
    const ofBranch = await workspaceOf(connectionId, { branch: 'main' })
    const ofRepo = await workspaceOf(connectionId, { repo })
    for (const { url } of [follows, ofBranch, ofRepo])
      expect((await owner.post(`${url}/plan`, {})).statusCode).toBe(201)
    const by = await org.user('SRE · Cloud Admin')
    await move(by, connectionId, { defaultRepo: await repository() })
    expect(await authoredBy(by)).toEqual(expect.arrayContaining([follows.id, ofBranch.id]))
    expect(await authoredBy(by)).toHaveLength(2)
    const current = [await isCurrent(follows), await isCurrent(ofBranch), await isCurrent(ofRepo)]
    expect(current).toEqual([false, false, true])
    // The same place again is no move.
    await move(owner, connectionId, { defaultBranch: 'main' })
    expect(await authoredBy(owner)).not.toContain(ofBranch.id)
  })

  test('409: to a branch of another installation: the connection is put back, and what was read meanwhile is read again', async () => {
    const repo = await repository()
    const connectionId = await connect(repo)
    const follows = await workspaceOf(connectionId, {})
    expect((await owner.post(`${follows.url}/plan`, {})).statusCode).toBe(201)
    const theirs = '{"version":1,"organization":"them","signature":"x"}\n'
    const write = { '.cloud-control/owner.json': theirs }
    await harness.peer.edit(repo, { branch: 'other', write })
    const by = await org.user('SRE · Cloud Admin')
    const refused = await by.patch(`${path}/${connectionId}`, { defaultBranch: 'other' })
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'repo_already_connected'])
    const { connection } = (await owner.get(`${path}/${connectionId}`)).json()
    expect(connection).toMatchObject({ defaultBranch: 'main' })
    expect(await isCurrent(follows)).toBe(false)
    expect(new Set(await authoredBy(by))).toEqual(new Set([follows.id]))
  })

  test('200, then 403: a pipeline without a branch of its own: its release waits again, and for another person', async () => {
    const deploy = await deployWorld(harness, { criticality: 'production' })
    const repo = await repository()
    const connectionId = await connect(repo, deploy.owner)
    const source = { appGitConnectionId: connectionId, appRepo: repo }
    const led = await deploy.owner.patch(`/api/pipelines/${deploy.pipelineId}`, source)
    expect(led.statusCode, led.body).toBe(200)
    const pinned = { name: named('app'), ...source, appBranch: 'main' }
    expect((await deploy.owner.post('/api/pipelines', pinned)).statusCode).toBe(201)
    const [second, by] = [
      await deploy.org.user('Deployer'),
      await deploy.org.user('SRE · Cloud Admin'),
    ]
    const run = await deploy.built({ by: await deploy.org.user('Deployer') })
    expect((await second.post(`${run.url}/approve`, {})).statusCode).toBe(200)

    await move(by, connectionId, { defaultBranch: 'other' })

    expect(await run.shown()).toMatchObject({
      awaitingApproval: true,
      approvals: [{ void: { reason: expect.stringContaining('of the Git connection changed') } }],
    })
    const noted = await harness.deps.store
      .platform('pipeline_authorship')
      .where({ userId: by.id })
      .select('pipelineId', 'part')
    expect(noted).toEqual([{ pipelineId: deploy.pipelineId, part: 'build' }])
    const own = await by.post(`${run.url}/approve`, {})
    expect([own.statusCode, own.json().code]).toEqual([403, 'approver_is_author'])
  })

  test('200: what begins to follow the connection while it is moved is noted as well', async () => {
    const repo = await repository()
    const connectionId = await connect(repo)
    const late = await workspaceOf(await connect(await repository()), {})
    const by = await org.user('SRE · Cloud Admin')
    const { platform } = harness.deps.store
    let moving: Promise<unknown> = Promise.resolve()
    await platform.transaction(async (trx) => {
      // As a request that makes a follower: it holds the connection until it is stored.
      await trx('git_connections').where({ id: connectionId }).forUpdate().select('id')
      moving = move(by, connectionId, { defaultBranch: 'other' })
      await eventually(async () => {
        const { rows } = await trx.raw(
          `select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
        )
        return rows.length > 0
      })
      await trx('workspaces').where({ id: late.id }).update({ gitConnectionId: connectionId })
    })
    await moving
    expect(await authoredBy(by)).toEqual([late.id])
  })
})
