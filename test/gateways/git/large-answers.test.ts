import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { githubHost } from '../../../gateways/git/github/github-host.ts'
import { gitlabHost } from '../../../gateways/git/gitlab/gitlab-host.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import { turnsDuring } from '../../harness/turns-during.ts'

// The answers of a host that may be large: GitHub's trees, and GitLab's comparison.
let server: Server
let port: number
let answer: unknown
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const body = url.includes('/git/commits/') ? { tree: { sha: 't' } } : answer
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The server listens on a port, so `address` returns an object.
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const outbound = () => createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
const connection = () => ({ origin: `http://127.0.0.1:${port}`, token: 'token' })
const listed = async (tree: unknown[], more: object = {}, folder = '') => {
  answer = { sha: 't', ...more, tree }
  const at = { branch: 'main', commit: 'c', folder }
  return githubHost(outbound(), connection()).listFiles('acme/app', at)
}
const compared = async (diffs: unknown[], more: object = {}) => {
  answer = { ...more, diffs }
  return gitlabHost(outbound(), connection()).compare('acme/app', { base: 'a', head: 'b' })
}
const entry = (path: string, type = 'blob') => ({
  path,
  mode: '100644',
  type,
  sha: 'a'.repeat(40),
  size: 1,
  url: 'https://api.github.com/x',
})

test('GitHub: a tree of 100,000 entries is listed, with turns for others; a longer one is not', async () => {
  const tree = Array.from({ length: 100_000 }, (_, at) =>
    entry(`a/${at}`, at % 2 ? 'blob' : 'tree'),
  )
  const { turns, result } = await turnsDuring(async () => listed(tree))
  expect(result.size).toBe(50_000)
  expect(result.get('a/1')).toBe('a'.repeat(40))
  expect(turns).toBeGreaterThan(150)
  const failure = await failureOf(listed([...tree, entry('b')]))
  expect(failure.code).toBe('git_repository_too_large')
})

test('GitHub: a tree that is cut, or with a path that is longer than is read, hides no file', async () => {
  const cut = listed([], { truncated: true })
  expect((await failureOf(cut)).code).toBe('git_repository_too_large')
  const long = listed([entry('a'), entry('b'.repeat(5_000))])
  expect((await failureOf(long)).code).toBe('git_repository_too_large')
})

test('GitHub: a folder that is not among a cut list is not taken for one that is not there', async () => {
  const above = [entry('other', 'tree')]
  expect(await listed(above, {}, 'live')).toEqual(new Map())
  const cut = listed(above, { truncated: true }, 'live')
  expect((await failureOf(cut)).code).toBe('git_repository_too_large')
})

test('GitHub: an answer is parsed once, and not by octokit', async () => {
  answer = { object: { sha: 'c' } }
  const host = githubHost(outbound(), connection())
  const parse = vi.spyOn(JSON, 'parse')
  const head = await host.head('acme/app', 'main')
  const calls = parse.mock.calls.length
  parse.mockRestore()
  expect([head, calls]).toEqual(['c', 1])
})

test('GitLab: commits and lines of a comparison are passed over, however many', async () => {
  const commits = Array.from({ length: 10_000 }, (_, at) => ({
    id: at,
    parent_ids: ['a', 'b', 'c'],
  }))
  const diff = (path: string, more: object = {}) => ({
    old_path: path,
    new_path: path,
    diff: '+"x"\n'.repeat(20_000),
    ...more,
  })
  const { turns, result } = await turnsDuring(async () =>
    compared([diff('a', { new_file: true }), diff('b', { old_path: 'c' })], { commits }),
  )
  expect(result).toEqual([
    { path: 'a', change: 'added' },
    { path: 'c', change: 'removed' },
    { path: 'b', change: 'added' },
  ])
  expect(turns).toBeGreaterThan(8)
  const many = Array.from({ length: 1_000 }, (_, at) => ({ old_path: `${at}`, new_path: `${at}` }))
  for (const cut of [
    async () => compared([diff('a'), diff('b'.repeat(5_000))]),
    async () => compared([diff('a')], { compare_timeout: true }),
    async () => compared(many),
  ])
    expect((await failureOf(cut())).code).toBe('git_repository_too_large')
  expect(await compared(many.slice(1))).toHaveLength(999)
})
