import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { PeerServer } from '../../harness/git/peer-server.ts'

// GitHub's list of commits is by their dates, which whoever makes a commit chooses.
type Listed = { sha: string; date: string; email?: string }

let listed: Listed[] = []
let between: Listed[] = []
let total: number | undefined
let server: PeerServer
beforeAll(async () => {
  server = new PeerServer(async ({ path, url }) => {
    const page = Number(url.searchParams.get('page') ?? 1)
    const json = path.includes('/compare/')
      ? { commits: page === 1 ? between.map(show) : [], total_commits: total ?? between.length }
      : listed.slice((page - 1) * 100, page * 100).map(show)
    return { status: 200, json }
  })
  await server.listen()
})
afterAll(async () => server.close())

const show = ({ sha, date, email = 'old@example.com' }: Listed) => ({
  sha,
  commit: { message: 'x', author: { email, date }, committer: { email, date } },
})
const many = (count: number, year: number): Listed[] =>
  Array.from({ length: count }, (_, n) => ({
    sha: `${year}-${n}`,
    date: `${year}-01-01T00:00:00Z`,
  }))
const authors = async () => {
  server.calls.length = 0
  const { port, url: origin } = server
  const outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
  const host = connectGitHost(outbound, { product: 'github', origin, token: 'a'.repeat(20) })
  const range = { from: 'a'.repeat(40), to: 'b'.repeat(40), folders: ['live'] }
  const { commits, complete } = await host.authors('acme/x', range)
  return { complete, authors: commits.map(({ claimed }) => claimed[0]) }
}
const merge = { sha: 'merge', date: '2026-01-02T00:00:00Z', email: 'merger@example.com' }

test('a commit of an old date is found behind those that were there before', async () => {
  const hidden = { sha: 'hidden', date: '1971-01-01T00:00:00Z', email: 'hidden@example.com' }
  between = [hidden, merge]
  listed = [merge, ...many(249, 2025), hidden]
  expect(await authors()).toEqual({
    complete: true,
    authors: ['merger@example.com', 'hidden@example.com'],
  })
  // Further back than is looked, so the plan has an unknown author.
  listed = [merge, ...many(400, 2025), hidden]
  expect(await authors()).toEqual({ complete: false, authors: ['merger@example.com'] })
})

test('of an ordinary push one page is read, and a comparison that is cut is not complete', async () => {
  between = [merge]
  listed = [merge, ...many(400, 2025)]
  expect(await authors()).toEqual({ complete: true, authors: ['merger@example.com'] })
  expect(server.calls.filter((call) => call.endsWith('/commits'))).toHaveLength(1)
  // The comparison counts a second commit, and lists none on its further pages.
  total = 2
  expect(await authors()).toMatchObject({ complete: false })
})
