import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { artifactFolder } from '../../../gateways/artifacts/folder.ts'
import { artifacts } from '../../../store/runs/artifacts.ts'
import { agentHosts, type HostAnswer, type WantedOfHost } from '../../harness/deploy/agent-hosts.ts'
import {
  applicationOf,
  building,
  runAt,
  type ApplicationRunOfTest,
} from '../../harness/git/application-of.ts'
import {
  eventually,
  gitHarness,
  peerMakers,
  type GitHarness,
} from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { historyClient } from '../../histories/write-history.ts'
import { hasBwrap, why } from '../../gateways/sandbox/shell-sandbox.ts'

// The workflow itself, with the real worker: from the branch to a stored artifact.
describe.skipIf(!hasBwrap)(`a run of an application (${why})`, () => {
  let harness: GitHarness
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer)
    org = await harness.organization()
    owner = await org.user('Owner')
    client = await historyClient(harness)
  })
  let client: Client
  afterAll(async () => {
    await client?.connection.close()
    await harness?.close()
  })

  const over = async (run: ApplicationRunOfTest) =>
    eventually(async () => {
      const shown = await run.shown()
      return shown.state !== 'running' && shown
    })
  const says = async (run: ApplicationRunOfTest, stage: string, line: string) =>
    eventually(async () => (await run.lines(stage)).includes(line))
  const eventsOf = async (run: ApplicationRunOfTest): Promise<string[]> => {
    const { entries } = (await owner.get('/api/audit?limit=200')).json()
    return entries
      .filter(({ target }: AuditRow) => target?.kind === 'run' && target.id === run.id)
      .map(({ event }: { event: string }) => event)
  }
  const started = async (files: Record<string, string>) =>
    (await applicationOf(harness, owner, files)).run({ start: true })

  test('from the branch to a stored artifact, each written once', async () => {
    const run = await started(building('mkdir dist; echo made > dist/x; echo hello'))
    expect(await over(run)).toMatchObject({
      state: 'succeeded',
      reason: null,
      workflowId: `org-${org.id}/app-run/${run.id}`,
      stages: [
        { name: 'source', state: 'succeeded' },
        { name: 'build', state: 'succeeded' },
        { name: 'deploy', state: 'succeeded', by: 'release' },
      ],
    })
    expect(await run.lines('build')).toContain('hello')
    expect((await eventsOf(run)).toSorted()).toEqual([
      'pipeline.artifact_stored',
      'pipeline.run_succeeded',
    ])
    const kept = await harness.deps.store.tenant(org.id, async (tenant) =>
      artifacts(tenant).find(run.id),
    )
    const bytes = await artifactFolder(harness.config.artifactDir).read(org.id, kept?.digest ?? '')
    expect(bytes?.sizeBytes).toBe(kept?.sizeBytes)
    bytes?.stream.destroy()
  })

  test('started over HTTP: a branch, and then its commit again, which gives the same artifact', async () => {
    const { pipelineId } = await applicationOf(
      harness,
      owner,
      building('mkdir dist; echo made > dist/x; echo "of ${CC_BRANCH-no branch}"'),
    )
    const ended = async (body: Record<string, unknown>) => {
      const started = await owner.post(`/api/pipelines/${pipelineId}/run`, body)
      expect(started.statusCode, started.body).toBe(201)
      const run = runAt(owner, pipelineId, started.json().run.id)
      return { run, shown: await over(run), lines: await run.lines('build') }
    }
    const first = await ended({ branch: 'main' })
    expect(first.shown).toMatchObject({ state: 'succeeded', commit: { branch: 'main' } })
    expect(first.lines).toContain('of main')
    const sha = first.shown.commit?.sha
    const second = await ended({ commit: sha })
    expect(second.shown).toMatchObject({ state: 'succeeded', commit: { sha, branch: null } })
    expect(second.lines).toContain('of no branch')
    expect((await eventsOf(second.run)).toSorted()).toEqual([
      'pipeline.artifact_stored',
      'pipeline.run_started',
      'pipeline.run_succeeded',
    ])
    const [one, other] = await harness.deps.store.tenant(org.id, async (tenant) =>
      Promise.all([first, second].map(async ({ run }) => artifacts(tenant).find(run.id))),
    )
    expect(one?.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    const { digest, contentDigest, sizeBytes } = one ?? {}
    expect(other).toMatchObject({ digest, contentDigest, sizeBytes })
  })

  test('started for a commit that is not there: the log says so, and it can be canceled', async () => {
    const { pipelineId } = await applicationOf(harness, owner, building('mkdir dist'))
    const started = await owner.post(`/api/pipelines/${pipelineId}/run`, { commit: 'b'.repeat(40) })
    const run = runAt(owner, pipelineId, started.json().run.id)
    await eventually(async () =>
      (await run.lines('source')).some((line) => line.includes('could not be fetched')),
    )
    await canceled(run)
  })

  test('canceled while it builds: it ends at once, its programs too, and nothing is stored', async () => {
    const run = await started(building('mkdir dist; : > dist/x; echo begun; sleep 300'))
    await says(run, 'build', 'begun')
    expect((await owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    expect(await run.shown()).toMatchObject({
      state: 'canceled',
      reason: 'canceled_by_user',
      stages: [{ state: 'succeeded' }, { state: 'canceled' }, { state: 'skipped' }],
    })
    await eventually(async () => (await statusOf(run)) === 'COMPLETED')
    expect(await eventsOf(run)).toEqual(['pipeline.run_canceled'])
    const found = await harness.deps.store.tenant(org.id, async (tenant) =>
      artifacts(tenant).find(run.id),
    )
    expect(found).toBeUndefined()
  })

  test('canceled while it waits for its organization, and while its source is tried again', async () => {
    const application = await applicationOf(harness, owner, building('mkdir dist'))
    const { platform } = harness.deps.store
    const full = await Promise.all(Array.from({ length: 20 }, async () => application.run()))
    await platform('application_runs')
      .whereIn(
        'pipelineRunId',
        full.map(({ id }) => id),
      )
      // The reconciler owns no run that was made after now.
      .update({ phase: 'building', createdAt: new Date(Date.now() + 3_600_000) })
    const waiting = await application.run({ start: true })
    await eventually(async () => (await statusOf(waiting)) === 'RUNNING')
    await eventually(async () => (await waiting.shown()).blockedBy?.kind === 'capacity')
    await canceled(waiting)
    await platform('application_runs')
      .whereIn(
        'pipelineRunId',
        full.map(({ id }) => id),
      )
      .update({ phase: 'canceled' })
    await platform('git_connections')
      .where({ id: application.connectionId })
      .update({ status: 'unreachable' })
    const sourcing = await application.run({ start: true })
    await eventually(async () =>
      (await sourcing.lines('source')).some((line) => line.endsWith('It is tried again.')),
    )
    await canceled(sourcing)
    for (const run of [waiting, sourcing])
      expect((await run.shown()).stages.map(({ state }) => state)).toEqual([
        'canceled',
        'skipped',
        'skipped',
      ])
    expect(await waiting.lines('source')).toEqual([])
  })
  const canceled = async (run: ApplicationRunOfTest) => {
    expect((await owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    expect((await run.shown()).state).toBe('canceled')
    await eventually(async () => (await statusOf(run)) === 'COMPLETED')
  }
  /** Undefined before it is started. */
  const statusOf = async (run: ApplicationRunOfTest): Promise<string | undefined> => {
    const { workflowId } = await run.shown()
    const found = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined)
    return found?.status.name
  }

  /** A pipeline whose target has three agents, which answer until the test ends. */
  const deployed = async (say?: (host: WantedOfHost) => HostAnswer, deploy = '') => {
    const target = await org.workspace({ by: owner })
    const files = building('mkdir dist; : > dist/x')
    const path = '.cloud-control/pipeline.yml'
    const application = await applicationOf(harness, owner, {
      ...files,
      [path]: `${files[path]}${deploy}`,
    })
    await harness.deps.store
      .platform('pipelines')
      .where({ id: application.pipelineId })
      .update({ targetWorkspaceId: target.id })
    const hosts = agentHosts(harness, { organizationId: org.id, workspaceId: target.id })
    for (const name of ['a', 'b', 'c']) await hosts.add(name)
    const stop = hosts.work(say)
    const run = async (body: object = {}) => {
      const answer = await owner.post(`/api/pipelines/${application.pipelineId}/run`, body)
      expect(answer.statusCode, answer.body).toBe(201)
      return runAt(owner, application.pipelineId, answer.json().run.id)
    }
    return { ...application, hosts, run, stop, target }
  }
  const canary = 'deploy:\n  strategy: c\n  strategies: { c: { kind: canary, steps: [30, 100] } }\n'

  test('started over HTTP and deployed to three hosts; then the next one fails, and goes back by itself', async () => {
    let isBad = false
    const world = await deployed(
      ({ wanted, name }) => (isBad && wanted === 'deploy' && name === 'b' ? 'switched' : 'ok'),
      canary,
    )
    const first = await world.run()
    expect(await over(first)).toMatchObject({
      state: 'succeeded',
      deployment: { strategy: 'canary', hosts: { total: 3, healthy: 3 } },
      stages: [
        { state: 'succeeded' },
        { state: 'succeeded' },
        { name: 'deploy', state: 'succeeded' },
      ],
    })
    isBad = true
    const second = await world.run()
    expect(await over(second)).toMatchObject({
      state: 'failed',
      reason: 'deploy_errored',
      deployment: { rolledBackTo: first.id, hosts: { rolledBack: 3 } },
    })
    isBad = false
    const { url } = first
    const answer = await owner.post(`${url}/rollback`, {})
    const back = runAt(owner, world.pipelineId, answer.json().run.id)
    expect(await over(back)).toMatchObject({ state: 'succeeded', rollbackOf: first.id })
    await world.stop()
    await eventually(async () => (await statusOf(back)) === 'COMPLETED')
  })

  test('a strategy that is not there ends the run in its source, before a build', async () => {
    const world = await deployed(undefined, canary)
    await world.stop()
    const run = await world.run({ strategy: 'sometimes' })
    expect(await over(run)).toMatchObject({
      state: 'failed',
      reason: 'source_errored',
      endMessage: expect.stringContaining('c, rolling, canary, blue-green, all-at-once'),
      stages: [{ state: 'failed' }, { state: 'skipped' }, { state: 'skipped' }],
    })
  })

  test('a deployment whose workflow was ended by hand fails, and lets its hosts go', async () => {
    const world = await deployed(() => 'silent')
    const run = await world.run()
    await eventually(async () => (await world.hosts.wanted()).length > 0)
    const { workflowId } = await run.shown()
    await client.workflow.getHandle(workflowId).terminate('lost')
    await world.stop()
    expect(await over(run)).toMatchObject({ state: 'failed', reason: 'runner_lost' })
    expect(await world.hosts.wanted()).toEqual([])
  })

  test('a run without a workflow gets one from the reconciler; its start is not lost with the outbox', async () => {
    const run = await (
      await applicationOf(harness, owner, building('mkdir dist; : > dist/x'))
    ).run()
    await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: run.id })
      .update({ createdAt: new Date(Date.now() - 60_000) })
    expect((await over(run)).state).toBe('succeeded')
  })
})

type AuditRow = { target: { kind: string; id: number } | null }
