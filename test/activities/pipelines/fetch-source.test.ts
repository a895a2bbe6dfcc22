import { rm } from 'node:fs/promises'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { starters } from '../../../domain/manifest/starters.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { buildDeps } from '../../harness/build-deps.ts'
import { keepArtifact } from '../../harness/deploy/keep-artifact.ts'
import { applicationOf, building } from '../../harness/git/application-of.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import {
  hasBwrap,
  shellSandbox,
  why,
  type ShellSandbox,
} from '../../gateways/sandbox/shell-sandbox.ts'

// Called as Temporal would call it, more than once with the same input.
describe.skipIf(!hasBwrap)(`the source of a run of an application (${why})`, () => {
  let harness: GitHarness
  let shell: ShellSandbox
  let builds: ReturnType<typeof buildDeps>
  let org: TestOrganization
  let owner: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    shell = await shellSandbox({ onDisk: true })
    builds = buildDeps(shell.sandbox)
    org = await harness.organization()
    owner = await org.user('Owner')
  })
  afterAll(async () => {
    await shell?.close()
    await harness?.close()
    await rm(builds?.root, { recursive: true, force: true })
  })

  const good = { ...building('mkdir dist; : > dist/x'), 'main.js': '// hi\n' }
  const aRun = async (files: Record<string, string> = good, branch = 'main') => {
    const application = await applicationOf(harness, owner, files)
    return { ...application, ...(await application.run({ branch })) }
  }
  const deliver = async (
    runId: number,
    environment = new MockActivityEnvironment({ attempt: 1 }),
    stopping = new AbortController().signal,
  ) => environment.run(fetchSource({ ...harness.deps, builds, stopping }), { runId })
  const begun = async (id: number): Promise<number> => {
    const [row] = await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: id })
      .select('sourcesBegun')
    return row.sourcesBegun
  }

  test('the branch becomes a commit; a second delivery changes nothing, though the branch moved', async () => {
    const run = await aRun()
    await deliver(run.id)
    const first = await run.shown()
    expect(first.commit).toMatchObject({
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      branch: 'main',
      // Written when the repository was connected.
      message: 'cloud-control: own this branch',
      author: 'peer <peer@example.com>',
    })
    expect(first.stages).toMatchObject([
      { name: 'source', state: 'succeeded' },
      { name: 'build', state: 'running' },
      { name: 'deploy', state: 'pending' },
    ])
    const lines = await run.lines('source')
    const row = harness.deps.store.platform('application_runs').where({ pipelineRunId: run.id })
    expect(await row.first()).toMatchObject({
      sourceConnectionId: run.connectionId,
      sourceRepo: run.repo,
    })
    expect(lines).toEqual([
      `Fetching main of ${run.repo}.`,
      `Commit ${first.commit?.sha} by peer <peer@example.com>: ${first.commit?.message}`,
      expect.stringMatching(/^\d+ files?\.$/),
    ])
    await harness.peer.edit(run.repo, { write: { 'new.js': '' } })
    await deliver(run.id)
    expect(await run.shown()).toEqual(first)
    expect(await run.lines('source')).toEqual(lines)
  })

  test('who pushed what is to be deployed is an author, also of a run of a commit', async () => {
    const { platform } = harness.deps.store
    const pusher = await org.user('SRE · Cloud Admin')
    const application = await applicationOf(harness, owner, good)
    const { pipelineId } = application
    const { id: workspaceId } = await org.workspace({ by: owner })
    const target = { targetWorkspaceId: workspaceId }
    expect((await owner.patch(`/api/pipelines/${pipelineId}`, target)).statusCode).toBe(200)
    const rowOf = (id: number) => platform('application_runs').where({ pipelineRunId: id })
    const fetched = async (more: object = {}) => {
      const run = await application.run()
      await rowOf(run.id).update({ ...target, ...more })
      await deliver(run.id)
      return rowOf(run.id).first()
    }
    const { pipelineRunId } = await fetched()
    await keepArtifact(harness.deps, org.id, {
      runId: pipelineRunId,
      digest: `sha256:${'a'.repeat(64)}`,
    })
    await platform('deployments').insert({
      organizationId: org.id,
      pipelineId,
      workspaceId,
      pipelineRunId,
      artifactRunId: pipelineRunId,
      strategy: '{}',
      outcome: 'succeeded',
      endedAt: new Date(),
      agentsUntil: new Date(),
    })
    await harness.peer.edit(application.repo, { write: { 'new.js': '' }, pusher: pusher.email })
    const { commitSha, authorUserIds } = await fetched()
    expect(authorUserIds).toContain(pusher.id)
    expect((await fetched({ branch: null, commitSha })).authorUserIds).toContain(pusher.id)
  })

  test('two deliveries at once note one commit, once', async () => {
    const run = await aRun()
    await Promise.allSettled([deliver(run.id), deliver(run.id)])
    const { commit } = await run.shown()
    const named = (await run.lines('source')).filter((line) => line.startsWith('Commit '))
    expect(named).toEqual([`Commit ${commit?.sha} by peer <peer@example.com>: ${commit?.message}`])
  })

  test('a run that ended is left alone; one that is gone is not found', async () => {
    const run = await aRun()
    expect((await owner.post(`${run.url}/cancel`, {})).statusCode).toBe(200)
    await deliver(run.id)
    expect([(await run.shown()).commit, await run.lines('source')]).toEqual([null, []])
    await expect(deliver(2_000_000_000)).rejects.toMatchObject({ fault: 'not_found' })
  })

  test('a branch or a connection that is gone ends the run', async () => {
    const gone = await aRun(good, 'old')
    await deliver(gone.id)
    expect(await gone.shown()).toMatchObject({
      state: 'failed',
      reason: 'source_errored',
      endMessage: `The repository ${gone.repo} has no branch old.`,
      stages: [{ state: 'failed' }, { state: 'skipped' }, { state: 'skipped' }],
    })
    const cut = await aRun()
    expect((await owner.delete(`/api/git/connections/${cut.connectionId}`)).statusCode).toBe(200)
    await deliver(cut.id)
    expect((await cut.shown()).endMessage).toBe('The pipeline has no Git connection any more.')
  })

  test('a host that refuses is tried again, without being counted as a lost worker', async () => {
    const run = await aRun()
    const set = async (status: 'invalid_token' | 'healthy') =>
      harness.deps.store.tenant(org.id, async (tenant) =>
        gitConnections(tenant).setStatus(run.connectionId, status, 'revoked'),
      )
    await set('invalid_token')
    for (const _ of [1, 2, 3, 4])
      await expect(deliver(run.id)).rejects.toMatchObject({ code: 'source_unreachable' })
    expect(await run.shown()).toMatchObject({ state: 'running', reason: null })
    expect((await run.lines('source')).at(-1)).toContain('is invalid_token: revoked')
    await set('healthy')
    await deliver(run.id)
    expect((await run.shown()).commit).not.toBeNull()
  })

  test('the connection of the pipeline alone is lent, although another one could read it', async () => {
    const run = await aRun()
    // The peer's tokens read every repository, and this connection is healthy.
    await aRun()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      gitConnections(tenant).setStatus(run.connectionId, 'unreachable', null),
    )
    await expect(deliver(run.id)).rejects.toMatchObject({ code: 'source_unreachable' })
  })

  test('a worker that stops is not counted; one that is lost three times ends the run', async () => {
    const run = await aRun()
    const canceled = new MockActivityEnvironment({ attempt: 1 })
    canceled.cancel('CANCELLED')
    await expect(deliver(run.id, canceled)).rejects.toThrow()
    await expect(deliver(run.id, undefined, AbortSignal.abort())).rejects.toThrow()
    expect([(await run.shown()).commit, await begun(run.id)]).toEqual([null, 0])
    await harness.deps.store
      .platform('application_runs')
      .where({ pipelineRunId: run.id })
      .update({ sourcesBegun: 3 })
    await deliver(run.id)
    expect(await run.shown()).toMatchObject({ state: 'failed', reason: 'runner_lost' })
  })

  test('without a manifest the log has one to begin with', async () => {
    const run = await aRun({ 'go.mod': 'module x\n' })
    await deliver(run.id)
    expect(await run.shown()).toMatchObject({
      reason: 'source_errored',
      endMessage:
        'The commit has no .cloud-control/pipeline.yml. The log has one to begin with (Go).',
    })
    const [go] = starters.filter(({ language }) => language === 'Go')
    const details = { starter: { path: '.cloud-control/pipeline.yml', yaml: go?.yaml } }
    expect(await run.shown()).toMatchObject({ details })
    const list = run.url.replace(/\/\d+$/, '')
    expect((await owner.get(list)).json().runs).toMatchObject([{ id: run.id, details }])
    expect(await run.lines('source')).toContain('      run: GOMODCACHE="$PWD/.gomod" go test ./...')
  })

  test('each fault of a manifest is a line of the log', async () => {
    const run = await aRun({
      '.cloud-control/pipeline.yml': 'version: 1\nbuild:\n  steps:\n    - comand: make\n',
    })
    await deliver(run.id)
    expect(await run.shown()).toMatchObject({ reason: 'source_errored', details: null })
    expect(await run.lines('source')).toContain(
      'pipeline.yml:4:7 build.steps[0]: unknown key "comand", did you mean "run"?',
    )
  })
})
