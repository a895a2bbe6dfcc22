import { afterAll, beforeAll, expect, test } from 'vitest'
import { githubContents } from '../../../gateways/git/github/github-contents.ts'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import { BareRepositories } from '../../harness/git/bare-repositories.ts'
import { gitHttpBackend, PeerServer } from '../../harness/git/peer-server.ts'

// An Enterprise Server that serves archives from a host that the operator has not opened.
const files = { 'live/a.tf': '# a\n', 'live/b.tf': '# b\n', 'other.tf': '# other\n' }
let bare: BareRepositories
let server: PeerServer
let outbound: Outbound
beforeAll(async () => {
  bare = new BareRepositories()
  await bare.create('acme/x', files)
  server = new PeerServer(async (request) =>
    request.path.includes('/tarball/')
      ? { status: 302, headers: { location: 'http://127.0.0.1:1/archive' } }
      : gitHttpBackend(request, { root: bare.root, path: request.path }),
  )
  await server.listen()
  const { port } = server
  outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
})
afterAll(async () => {
  await server.close()
  bare.close()
})

test('without an archive the files are read with git in three calls; without git the read fails', async () => {
  const commit = (await bare.head('acme/x', 'main')) ?? ''
  const listed = await bare.list('acme/x', commit, 'live')
  const wanted = new Map(listed.map(({ path, id }) => [path, id]))
  const at = { origin: server.url, api: `${server.url}/api/v3`, token: 'ghp_x' }
  const read = githubContents(outbound, at)
  const found = await read('acme/x', { branch: 'main', commit }, wanted)
  expect([...found.values()].map((content) => Buffer.from(content).toString())).toEqual([
    '# a\n',
    '# b\n',
  ])
  expect([...found.keys()]).toEqual([...wanted.values()])
  expect(server.calls).toHaveLength(3)
  const moved = '0'.repeat(40)
  expect(await read('acme/x', { branch: 'main', commit: moved }, wanted)).toEqual(new Map())
})
