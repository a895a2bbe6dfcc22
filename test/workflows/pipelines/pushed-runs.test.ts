import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applicationOf, building, runAt } from '../../harness/git/application-of.ts'
import {
  eventually,
  gitHarness,
  peerMakers,
  type GitHarness,
} from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { hasBwrap, why } from '../../gateways/sandbox/shell-sandbox.ts'

// From the webhook that a host sends to the artifact, with the real worker.
describe.skipIf(!hasBwrap)(`runs that a push starts (${why})`, () => {
  let harness: GitHarness
  let owner: TestUser
  beforeAll(async () => {
    harness = await gitHarness(peerMakers.gitlabPeer)
    owner = await (await harness.organization()).user('Owner')
  })
  afterAll(async () => harness?.close())

  const runsOf = async (pipelineId: number) =>
    (await owner.get(`/api/pipelines/${pipelineId}/runs`)).json().runs
  const nth = async (pipelineId: number, count: number) =>
    eventually(async () => {
      const runs = await runsOf(pipelineId)
      return runs.length >= count && runs[0].state !== 'running' && runs[0]
    })

  test('a push and a tag become artifacts; a redelivery and a deleted tag start nothing', async () => {
    const application = await applicationOf(
      harness,
      owner,
      building('mkdir dist; echo "${CC_BRANCH-none} ${CC_TAG-none}" | tee dist/x'),
    )
    const { repo, pipelineId } = application
    const changed = await owner.patch(`/api/pipelines/${pipelineId}`, {
      triggers: { push: true, tags: ['v*'] },
    })
    expect(changed.statusCode, changed.body).toBe(200)
    await eventually(
      async () =>
        (await owner.get(`/api/pipelines/${pipelineId}`)).json().pipeline.webhook.state ===
        'active',
    )
    await harness.peer.edit(repo, { write: { word: 'one' } })
    const id = 'delivered-twice'
    for (const _ of [1, 2])
      expect((await harness.peer.deliver(repo, { push: 'main' }, { id })).status).toBe(200)
    const pushed = await nth(pipelineId, 1)
    expect(pushed).toMatchObject({
      state: 'succeeded',
      trigger: { kind: 'push' },
      origin: { kind: 'push', id: pushed.commit.sha },
      message: pushed.commit.message.trim().split('\n')[0],
      endMessage: null,
    })
    expect(await runAt(owner, pipelineId, pushed.id).lines('build')).toContain('main none')

    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', harness.peer.path?.(repo) ?? '', ...args], {
        encoding: 'utf8',
        env: {
          ...process.env,
          GIT_COMMITTER_NAME: 'A',
          GIT_COMMITTER_EMAIL: 'a@x.example',
        },
      }).trim()
    // An annotated tag is an object of its own, which names the commit.
    git('tag', '-a', '-m', 'one', 'v1.0', 'main')
    const commit = git('rev-parse', 'v1.0')
    await harness.peer.deliver(repo, { tag: 'v1.0', commit })
    const tagged = await nth(pipelineId, 2)
    expect(tagged, tagged.endMessage).toMatchObject({
      state: 'succeeded',
      trigger: { kind: 'tag' },
      commit: { sha: git('rev-parse', 'main'), branch: null, tag: 'v1.0' },
      author: { label: 'tag v1.0' },
    })
    expect(await runAt(owner, pipelineId, tagged.id).lines('build')).toContain('none v1.0')

    git('tag', '-d', 'v1.0')
    await harness.peer.deliver(repo, { tag: 'v1.0' })
    const started = await owner.post(`/api/pipelines/${pipelineId}/run`, { tag: 'v1.0' })
    expect(started.statusCode, started.body).toBe(201)
    const gone = await nth(pipelineId, 3)
    expect(gone).toMatchObject({
      state: 'failed',
      reason: 'source_errored',
      endMessage: `The repository ${repo} has no tag v1.0.`,
    })
    expect(await runsOf(pipelineId)).toHaveLength(3)
  })
})
