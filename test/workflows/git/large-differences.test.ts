import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { hydratedWorkspace } from './hydrated-workspace.ts'

describe.each(hostsOf('githubPeer', 'bitbucketDataCenterPeer'))(
  'differences in %s',
  (_, makePeer) => {
    let harness: GitHarness
    let user: TestUser
    beforeAll(async () => {
      harness = await gitHarness(makePeer)
      user = await (await harness.organization()).user('Owner')
    })
    afterAll(async () => harness.close())

    test('what a configuration cannot have is not taken, and `ours` overwrites it', async () => {
      const ws = await hydratedWorkspace({ harness, user }, 1)
      const files = { 'a.tf': '# a\n', 'main.tf': '# one\n' }
      await ws.put(files)
      await ws.ended('written')
      const large = `# ${'x'.repeat(6 * 1_048_576)}\n`
      const write = Object.fromEntries(
        Object.keys(files).map((name) => [`workspaces/${ws.name}/${name}`, large]),
      )
      await harness.peer.edit(ws.repo, { write })
      await ws.put({ 'a.tf': '# b\n', 'main.tf': '# two\n' })
      const { id } = await ws.ended('diverged')
      const { hydration } = (await user.get(`${ws.url}/hydrations/${id}`)).json()
      expect(hydration.differences).toMatchObject([
        { change: 'edited', omitted: true },
        { change: 'edited', omitted: true },
      ])
      const take = async (which: string) =>
        user.post(`${ws.url}/hydrations/${id}/resolve`, { take: which })
      const refused = await take('theirs')
      expect([refused.statusCode, refused.json().code]).toEqual([409, 'hydration_too_large'])
      expect(refused.json().error).toContain(`workspaces/${ws.name}/main.tf`)
      expect((await take('ours')).statusCode).toBe(200)
      await ws.ended('written', 2)
      expect(await ws.folder()).toEqual({ 'a.tf': '# b\n', 'main.tf': '# two\n' })
    })
  },
)
