import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchSource } from '../../../activities/pipelines/fetch-source.ts'
import { gitConnections } from '../../../store/git/git-connections.ts'
import { applicationRun } from '../../harness/application-run.ts'
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
  let org: TestOrganization
  let owner: TestUser
  let counter = 0
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
    shell = await shellSandbox({ onDisk: true })
    org = await harness.organization()
    owner = await org.user('Owner')
  })
  afterAll(async () => {
    await shell?.close()
    await harness?.close()
  })

  async function aRun(branch = 'main') {
    counter += 1
    const repo = `acme/app-${counter}`
    await harness.peer.createRepository(repo, { 'main.js': '// hi\n' })
    const body = harness.body(repo, { repoType: 'application' })
    const { connection } = (await owner.post('/api/git/connections', body)).json()
    const made = await owner.post('/api/pipelines', {
      name: `shop-${counter}`,
      appGitConnectionId: connection.id,
      appRepo: repo,
    })
    expect(made.statusCode, made.body).toBe(201)
    const pipelineId: number = made.json().pipeline.id
    const { id } = await applicationRun(harness.deps, org.id, {
      pipelineId,
      origin: 'person',
      authorUserId: owner.id,
      branch,
    })
    const url = `/api/pipelines/${pipelineId}/runs/${id}`
    return {
      id,
      repo,
      url,
      connectionId: Number(connection.id),
      shown: async () => (await owner.get(url)).json().run,
      lines: async (): Promise<string[]> => {
        const { lines } = (await owner.get(`${url}/logs?stage=source`)).json()
        return lines.map(({ line }: { line: string }) => line)
      },
    }
  }
  const deliver = async (
    runId: number,
    environment = new MockActivityEnvironment({ attempt: 1 }),
  ) =>
    environment.run(
      fetchSource({
        ...harness.deps,
        builds: shell.sandbox,
        stopping: new AbortController().signal,
      }),
      { runId },
    )

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
    const lines = await run.lines()
    expect(lines).toEqual([
      `Fetching main of ${run.repo}.`,
      `Commit ${first.commit.sha} by peer <peer@example.com>: ${first.commit.message}`,
      expect.stringMatching(/^\d+ files?\.$/),
    ])
    await harness.peer.edit(run.repo, { write: { 'new.js': '' } })
    await deliver(run.id)
    expect(await run.shown()).toEqual(first)
    expect(await run.lines()).toEqual(lines)
  })

  test('two deliveries at once note one commit', async () => {
    const run = await aRun()
    await Promise.all([deliver(run.id), deliver(run.id)])
    const { commit } = await run.shown()
    const named = (await run.lines()).filter((line) => line.startsWith('Commit '))
    expect(new Set(named)).toEqual(
      new Set([`Commit ${commit.sha} by peer <peer@example.com>: ${commit.message}`]),
    )
  })

  test('a run that ended is left alone; one that is gone is not found', async () => {
    const run = await aRun()
    await harness.deps.store.platform.raw(
      `update application_runs set phase = 'canceled' where pipeline_run_id = ?`,
      [run.id],
    )
    await deliver(run.id)
    expect([(await run.shown()).commit, await run.lines()]).toEqual([null, []])
    await expect(deliver(2_000_000_000)).rejects.toMatchObject({ fault: 'not_found' })
  })

  test('a branch or a connection that is gone ends it; a host that refuses is tried again', async () => {
    const gone = await aRun('old')
    await expect(deliver(gone.id)).rejects.toMatchObject({ code: 'source_branch_gone' })
    const refused = await aRun()
    await harness.deps.store.tenant(org.id, async (tenant) =>
      gitConnections(tenant).setStatus(refused.connectionId, 'invalid_token', 'revoked'),
    )
    await expect(deliver(refused.id)).rejects.toMatchObject({
      fault: 'unavailable',
      code: 'source_unreachable',
      message: expect.stringContaining('is invalid_token: revoked'),
    })
    const cut = await aRun()
    expect((await owner.delete(`/api/git/connections/${cut.connectionId}`)).statusCode).toBe(200)
    await expect(deliver(cut.id)).rejects.toMatchObject({ code: 'source_unknown' })
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

  test('a canceled activity leaves no work folder', async () => {
    const run = await aRun()
    const environment = new MockActivityEnvironment({ attempt: 1 })
    environment.cancel('CANCELLED')
    await expect(deliver(run.id, environment)).rejects.toThrow()
    expect((await run.shown()).commit).toBeNull()
  })
})
