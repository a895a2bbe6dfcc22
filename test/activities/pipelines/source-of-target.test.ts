import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { gitActivity } from '../../../activities/git/git-activity.ts'
import { openDeployment } from '../../../activities/pipelines/open-deployment.ts'
import { deployWorld, type DeployWorld } from '../../harness/deploy/deploy-world.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

// The files of the target are read from its Git host while the deployment begins. No worker runs.
describe('a deployment by a workspace of source git', () => {
  let harness: GitHarness
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
  })
  afterEach(() => {
    harness.peer.server.fault = () => undefined
  })
  afterAll(async () => harness?.close())

  const worldOf = async (): Promise<DeployWorld & { connectionUrl: string }> => {
    counter += 1
    const repo = `acme/target-${counter}`
    await harness.peer.createRepository(repo, { 'live/main.tf': 'locals {}\n' })
    const world = await deployWorld(harness)
    const body = harness.body(repo, { repoType: 'application' })
    const connected = await world.owner.post('/api/git/connections', body)
    const gitConnectionId: number = connected.json().connection.id
    const change = { gitConnectionId, source: { kind: 'git' }, path: 'live' }
    const patched = await world.owner.patch(`/api/workspaces/${world.workspaceId}`, change)
    expect(patched.statusCode, patched.body).toBe(200)
    harness.peer.server.calls.length = 0
    return { ...world, connectionUrl: `/api/git/connections/${gitConnectionId}` }
  }
  const open = async (runId: number, environment = new MockActivityEnvironment({ attempt: 1 })) =>
    environment.run(openDeployment({ ...harness.deps, publicOrigin: 'https://control.example' }), {
      runId,
    })
  const phaseOf = async (id: number): Promise<string> => {
    const row = await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: id })
      .first('phase')
    return row.phase
  }
  const calls = () => harness.peer.server.calls.length

  test('is one of the calls that its organization may have under way: beyond its share it is handed back', async () => {
    const world = await worldOf()
    const { id } = await world.built({ deploy: 'via: workspace' })
    const release = Promise.withResolvers<void>()
    const held = Array.from({ length: 10 }, async () =>
      new MockActivityEnvironment().run(async () =>
        gitActivity(harness.deps, world.org.id, async () => release.promise),
      ),
    )
    await expect(open(id)).rejects.toMatchObject({ code: 'git_share_taken' })
    expect([await phaseOf(id), calls()]).toEqual(['deploy_queued', 0])
    release.resolve()
    await Promise.all(held)
    expect(await open(id)).toBeUndefined()
    expect(await phaseOf(id)).toBe('deploying')
    expect(calls()).toBeGreaterThan(0)
  })

  test('asks the host nothing while another deployment of the pipeline is under way, or once it is begun', async () => {
    const world = await worldOf()
    const first = await world.built({ deploy: 'via: workspace' })
    await open(first.id)
    const next = await world.built({ deploy: 'via: workspace' })
    harness.peer.server.calls.length = 0
    expect(await open(next.id)).toEqual({ timeoutMs: 30_000 })
    expect(await open(first.id)).toBeUndefined()
    expect(calls()).toBe(0)
  })

  test('a refused token ends the run, and marks the connection', async () => {
    const world = await worldOf()
    const run = await world.built({ deploy: 'via: workspace' })
    harness.peer.server.fault = () => ({ status: 401, json: { message: '401 Unauthorized' } })
    expect(await open(run.id)).toBeUndefined()
    expect(await run.shown()).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      endMessage: expect.stringContaining('No run of the target workspace could be started.'),
    })
    const { connection } = (await world.owner.get(world.connectionUrl)).json()
    expect(connection.status).toBe('invalid_token')
  })

  test('sends heartbeats while the host does not answer', async () => {
    const world = await worldOf()
    const { id } = await world.built({ deploy: 'via: workspace' })
    const environment = new MockActivityEnvironment({ attempt: 1 })
    const beat = new Promise((resolve) => {
      environment.once('heartbeat', resolve)
    })
    harness.peer.server.fault = async () => {
      await beat
      return undefined
    }
    await open(id, environment)
    expect(await phaseOf(id)).toBe('deploying')
  }, 20_000)

  test('an attempt that is given up sends its host no further call, and says nothing of it', async () => {
    const world = await worldOf()
    const run = await world.built({ deploy: 'via: workspace' })
    const environment = new MockActivityEnvironment({ attempt: 1 })
    harness.peer.server.fault = () => {
      environment.cancel('TIMED_OUT')
      return undefined
    }
    await expect(open(run.id, environment)).rejects.toThrow('given up')
    expect([await phaseOf(run.id), calls()]).toEqual(['deploy_queued', 1])
    expect(await run.lines('deploy')).toEqual([])
  })
})
