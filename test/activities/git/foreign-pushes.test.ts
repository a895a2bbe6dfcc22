import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveredPushes, type DeliveredPushes } from '../../harness/git/delivered-pushes.ts'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { PeerRequest } from '../../harness/git/peer-server.ts'
import type { TestUser } from '../../harness/test-user.ts'

const tags = { tags: ['v*'] }

describe.each(hostsOf('githubPeer', 'bitbucketCloudPeer'))(
  'deliveries under a name that no pipeline has, of %s',
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

    /** One connection of three repositories; the first is its own. */
    const applications = async () => {
      const { connectionId, repo: shop } = await at.connected('shop')
      const [tool, site] = [await at.repository('tool'), await at.repository('site')]
      for (const repo of [shop, tool, site])
        for (const tag of ['v1.0', 'v1.1']) await harness.peer.tag(repo, tag)
      return {
        connectionId,
        repos: { shop, tool, site },
        shop: await at.pipelineOf(connectionId, shop, tags),
        tool: await at.pipelineOf(connectionId, tool, tags),
        site: await at.pipelineOf(connectionId, site, { push: true }),
      }
    }
    const faulty = async (status: number, repo: string, work: () => Promise<unknown>) => {
      const isOf = ({ url }: PeerRequest) => decodeURIComponent(url.pathname).includes(repo)
      harness.peer.server.fault = (request) =>
        isOf(request) ? { status, json: { message: 'no' } } : undefined
      await work().finally(() => (harness.peer.server.fault = () => undefined))
    }

    test('a tag or push of a repository whose pipeline was deleted or led elsewhere starts nothing', async () => {
      const { connectionId, repos, ...made } = await applications()
      expect((await owner.delete(`/api/pipelines/${made.tool}`)).statusCode).toBeLessThan(300)
      await at.pushed(connectionId, { repository: repos.tool, tags: ['v1.0'] })
      await at.pushed(connectionId, { repository: repos.tool, branches: ['main'] })
      const led = await owner.patch(`/api/pipelines/${made.site}`, { appRepo: repos.tool })
      expect(led.statusCode, led.body).toBe(200)
      await at.pushed(connectionId, { repository: repos.site, tags: ['v1.1'] })
      await at.pushed(connectionId, { repository: repos.site, branches: ['main'] })
      expect(await at.runsOf(made.shop)).toEqual([])
      expect(await at.runsOf(made.site)).toEqual([])
    })

    test('a renamed repository keeps its pipelines, and no other one is started; the host is asked once', async () => {
      const { connectionId, repos, ...made } = await applications()
      const second = await at.pipelineOf(connectionId, repos.tool.toUpperCase(), tags)
      const repository = `${repos.tool}-renamed`
      await harness.peer.rename(repos.tool, repository)
      harness.peer.server.calls.length = 0
      await at.pushed(connectionId, { repository: repository.toUpperCase(), tags: ['v1.0'] })
      // Pipelines without a trigger of tags are not asked about.
      const asked = [...harness.peer.server.calls]
      expect(asked).toEqual([...new Set(asked)])
      expect(asked.filter((call) => call.toLowerCase().includes(repos.tool))).not.toEqual([])
      expect(asked.filter((call) => call.includes(repos.site))).toEqual([])
      expect(await at.runsOf(made.tool)).toEqual(['tag v1.0'])
      expect(await at.runsOf(second)).toEqual(['tag v1.0'])
      expect(await at.runsOf(made.shop)).toEqual([])

      await harness.peer.rename(repos.site, `${repos.site}-renamed`)
      const pushed = { repository: `${repos.site}-renamed`, branches: ['main'] }
      await at.pushed(connectionId, pushed)
      await at.pushed(connectionId, pushed)
      expect(await at.runsOf(made.site)).toHaveLength(1)
      expect(await at.runsOf(made.shop)).toEqual([])
    })

    test('a repository that the host no longer shows does not keep a renamed one from its run', async () => {
      const { connectionId, repos, ...made } = await applications()
      const repository = `${repos.tool}-renamed`
      await harness.peer.rename(repos.tool, repository)
      await faulty(404, repos.shop, async () =>
        at.pushed(connectionId, { repository, tags: ['v1.0'] }),
      )
      await faulty(403, repos.shop, async () =>
        at.pushed(connectionId, { repository, tags: ['v1.1'] }),
      )
      expect(await at.runsOf(made.tool)).toEqual(['tag v1.0', 'tag v1.1'])
      expect(await at.runsOf(made.shop)).toEqual([])
    })

    test('where the host refuses to tell the only name that could be it, the delivery fails', async () => {
      const { connectionId, repos, ...made } = await applications()
      const repository = `${repos.shop}-renamed`
      await harness.peer.rename(repos.shop, repository)
      const about = { repository, tags: ['v1.0'] }
      await faulty(403, repos.shop, async () =>
        expect(at.pushed(connectionId, about)).rejects.toMatchObject({
          fault: 'conflict',
          code: 'git_forbidden',
        }),
      )
      await faulty(401, repos.shop, async () =>
        expect(at.pushed(connectionId, about)).rejects.toMatchObject({
          code: 'git_token_rejected',
        }),
      )
      const shown = (await owner.get(`/api/git/connections/${connectionId}`)).json().connection
      expect(shown.status).toBe('invalid_token')
      expect(await at.runsOf(made.shop)).toEqual([])
      await at.pushed(connectionId, about)
      expect(await at.runsOf(made.shop)).toEqual(['tag v1.0'])
    })
  },
)
