import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveApplication } from '../../../store/runs/move-application.ts'
import { deliveredPushes, type DeliveredPushes } from '../../harness/git/delivered-pushes.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

// The signature of a delivery does not cover its id, so a captured one can be sent again under another.
describe.each(hostsOf('gitlabPeer', 'bitbucketDataCenterPeer'))(
  'deliveries of tags that are sent again, of %s',
  (_, makePeer) => {
    let harness: GitHarness
    let owner: TestUser
    let at: DeliveredPushes
    beforeAll(async () => {
      harness = await gitHarness(makePeer, { worker: false })
      owner = await (await harness.organization()).user('Owner')
      at = deliveredPushes(harness, owner)
    })
    afterAll(async () => harness?.close())

    const tagged = async () => {
      const { repo, connectionId } = await at.connected('tagged')
      const pipelineId = await at.pipelineOf(connectionId, repo, { tags: ['v*'] })
      return {
        repo,
        pipelineId,
        pushed: async (...tags: string[]) => at.pushed(connectionId, { repository: repo, tags }),
      }
    }
    /** That a run waits must not be what keeps a delivery from starting another. */
    const begun = async (pipelineId: number) => {
      const { runs } = (await owner.get(`/api/pipelines/${pipelineId}/runs`)).json()
      for (const { id } of runs)
        await harness.deps.store.tenant(owner.organizationId, async (tenant) =>
          moveApplication(tenant, id, { from: 'queued', to: 'sourcing' }),
        )
    }
    const edit = async (repo: string, word: string) =>
      harness.peer.edit(repo, { write: { 'live/main.tf': `# ${word}\n` } })

    test('an old tag is not released over a newer one; a tag that was moved is', async () => {
      const { repo, pipelineId, pushed } = await tagged()
      await harness.peer.tag(repo, 'v1')
      await pushed('v1')
      await edit(repo, 'two')
      await harness.peer.tag(repo, 'v2')
      await pushed('v2')
      await begun(pipelineId)
      expect(await at.runsOf(pipelineId)).toEqual(['tag v1', 'tag v2'])
      await pushed('v1')
      await Promise.all([1, 2].map(async () => pushed('v1', 'v2')))
      expect(await at.runsOf(pipelineId)).toEqual(['tag v1', 'tag v2'])
      await harness.peer.tag(repo, 'v1')
      await pushed('v1')
      expect(await at.runsOf(pipelineId)).toEqual(['tag v1', 'tag v2', 'tag v1'])
    })

    test('a tag that was moved before its run began starts one of its new commit, and the first keeps its own', async () => {
      const { repo, pipelineId, pushed } = await tagged()
      await harness.peer.tag(repo, 'v1')
      await pushed('v1')
      await edit(repo, 'two')
      await harness.peer.tag(repo, 'v1')
      await pushed('v1')
      await pushed('v1')
      const { runs } = (await owner.get(`/api/pipelines/${pipelineId}/runs`)).json()
      expect(runs).toHaveLength(2)
      expect(runs[0].commit.sha).not.toBe(runs[1].commit.sha)
      expect(runs.map(({ commit }: { commit: { tag: string } }) => commit.tag)).toEqual([
        'v1',
        'v1',
      ])
    })

    test('patterns that were changed while the host was asked are compared by the next attempt', async () => {
      const { repo, pipelineId, pushed } = await tagged()
      await harness.peer.tag(repo, 'v1')
      let isChanged = false
      harness.peer.server.fault = async () => {
        if (isChanged) return undefined
        isChanged = true
        const triggers = { tags: ['w*'] }
        const changed = await owner.patch(`/api/pipelines/${pipelineId}`, { triggers })
        expect(changed.statusCode, changed.body).toBe(200)
        return undefined
      }
      const failure = await failureOf(pushed('v1')).finally(
        () => (harness.peer.server.fault = () => undefined),
      )
      expect([failure.fault, failure.code]).toEqual(['unavailable', 'pipeline_changed'])
      await pushed('v1')
      expect(await at.runsOf(pipelineId)).toEqual([])
    })

    test('a tag that the host does not have starts nothing', async () => {
      const { pipelineId, pushed } = await tagged()
      await pushed('v1')
      expect(await at.runsOf(pipelineId)).toEqual([])
    })
  },
)
