import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { connectDirectly } from '../../harness/git/connect-directly.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

const path = '/api/git/connections'
/** What api/http/until-gone.ts lets the calls of one request take. */
const maxMs = 120_000

let harness: GitHarness
beforeAll(async () => {
  harness = await gitHarness(peerMakers.gitlabPeer, { worker: false })
})
afterAll(async () => harness.close())
afterEach(() => vi.restoreAllMocks())

test('a request that changes a connection calls no host after its time', async () => {
  const { peer, deps } = harness
  const organization = await harness.organization()
  const user = await organization.user('Owner')
  const connect = async (repo: string) => {
    await peer.createRepository(repo, { 'main.tf': '# hi\n' })
    return connectDirectly(deps, organization.id, { peer, repo })
  }
  const one = `${path}/${await connect('acme/late')}`
  await peer.createRepository('acme/later', { 'main.tf': '# hi\n' })

  const real = AbortSignal.timeout.bind(AbortSignal)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
    ms === maxMs ? AbortSignal.abort() : real(ms),
  )
  peer.server.calls.length = 0
  const statuses = [
    await user.post(path, harness.body('acme/later')),
    await user.patch(one, { defaultRepo: 'acme/later' }),
    await user.post(`${one}/validate`),
    await user.delete(one),
  ].map(({ statusCode }) => statusCode)
  // A host that does not answer does not keep a connection from being deleted.
  expect(statuses).toEqual([503, 503, 503, 200])
  expect(peer.server.calls).toEqual([])
})
