import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import { maxChanges, type GitHost } from '../../../gateways/git/git-host.ts'
import { createOutbound } from '../../../gateways/outbound/outbound.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import { PeerServer, type PeerAnswer, type PeerRequest } from '../../harness/git/peer-server.ts'

// A host of the tenant's own that means harm: each of its lists has another page, for ever.
let answer: (request: PeerRequest, page: number) => PeerAnswer
let server: PeerServer
/** Only in case that a loop has no end: the test fails by its count, and not by its time. */
const tooManyCalls = 400
beforeAll(async () => {
  server = new PeerServer(async (request) =>
    server.calls.length > tooManyCalls
      ? { status: 500, text: 'asked without end' }
      : answer(request, server.calls.length),
  )
  await server.listen()
})
afterAll(async () => server.close())

type Product = Parameters<typeof connectGitHost>[1]['product']
const hostOf = (product: Product): GitHost => {
  server.calls.length = 0
  const { port, url: origin } = server
  const outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
  return connectGitHost(outbound, { product, origin, token: 'a'.repeat(20) })
}
const range = { base: 'a'.repeat(40), head: 'b'.repeat(40) }
const pull = { number: 1, open: true, into: 'main', from: 'topic', fork: false }
const repository = {
  id: '7',
  fullName: 'acme/x',
  defaultBranch: 'main',
  private: true,
  archived: false,
}

const bitbuckets: ReadonlyArray<[Product, (values: unknown[], page: number) => unknown]> = [
  [
    'bitbucket-data-center',
    (values, page) => ({ values, isLastPage: false, nextPageStart: page * 500 }),
  ],
  ['bitbucket-cloud', (values) => ({ values, next: 'https://bitbucket.example/next' })],
]

describe.each(bitbuckets)('%s', (product, pageOf) => {
  const endless = (values: (page: number) => unknown[]) => {
    answer = (_, page) => ({ status: 200, json: pageOf(values(page), page) })
  }
  const change = (path: string) => ({
    type: 'MODIFY',
    path: { toString: path },
    status: 'modified',
    new: { path },
  })

  test('an endless list is given up at the hundredth page, also if its pages are empty', async () => {
    for (const values of [(page: number) => [change(`live/${page}`)], () => []]) {
      endless(values)
      const asking = hostOf(product).changedPaths('acme/x', pull)
      expect((await failureOf(asking)).code).toBe('git_repository_too_large')
      expect(server.calls).toHaveLength(100)
    }
    const comparing = hostOf(product).compare('acme/x', range)
    expect((await failureOf(comparing)).code).toBe('git_repository_too_large')
    expect(server.calls).toHaveLength(100)
  })

  test('a list of large pages is given up earlier', async () => {
    endless(() => [change('x'.repeat(3 * 1_048_576))])
    const asking = hostOf(product).changedPaths('acme/x', pull)
    expect((await failureOf(asking)).code).toBe('git_repository_too_large')
    expect(server.calls.length).toBeLessThan(8)

    endless(() => Array.from({ length: 20_000 }, () => change('x')))
    const small = hostOf(product).changedPaths('acme/x', pull)
    expect((await failureOf(small)).code).toBe('git_repository_too_large')
    expect(server.calls.length).toBeLessThan(8)
  })

  test('a comparison ends with as many changes as count for all', async () => {
    endless((page) => Array.from({ length: 100 }, (_, index) => change(`live/${page}/${index}`)))
    expect(await hostOf(product).compare('acme/x', range)).toHaveLength(maxChanges)
    expect(server.calls.length).toBeLessThanOrEqual(4)
  })
})

test('bitbucket-data-center: a branch and a right are looked for on a hundred pages', async () => {
  const [, pageOf] = bitbuckets[0] ?? []
  answer = (_, page) => ({ status: 200, json: pageOf?.([{ id: 1, latestCommit: 'c' }], page) })
  for (const ask of [
    async (host: GitHost) => host.head('acme/x', 'main'),
    async (host: GitHost) => host.missingRights(repository, 'write'),
  ]) {
    const asking = ask(hostOf('bitbucket-data-center'))
    expect((await failureOf(asking)).code).toBe('git_repository_too_large')
    expect(server.calls).toHaveLength(100)
  }
})

describe('gitlab', () => {
  /** A full page and a way to the next, whose link names a page size that no limit is reached with. */
  const endless = (items: (page: number) => unknown[]) => {
    answer = ({ url }, page) => ({
      status: 200,
      json: items(page),
      headers: {
        'x-next-page': String(page + 1),
        link: `<${server.url}${url.pathname}?per_page=1000000000&page=${page + 1}>; rel="next"`,
      },
    })
  }
  const full = (more: object) => (page: number) =>
    Array.from({ length: 100 }, (_, index) => ({ id: page * 100 + index, ...more }))
  const unsigned = (items: (page: number) => unknown[]) => {
    endless(items)
    const list = answer
    answer = (request, page) =>
      request.path.endsWith('/commits') ? list(request, page) : { status: 404, json: {} }
  }
  const asked = (end: string) => server.calls.filter((call) => call.endsWith(end)).length

  test('commits, comments and webhooks are looked through so many pages far', async () => {
    unsigned(full({ author_email: 'a@b.example', committer_email: 'a@b.example' }))
    const authors = { from: null, to: 'c'.repeat(40), folders: [''] }
    const { commits, complete } = await hostOf('gitlab').authors('acme/x', authors)
    expect([commits.length, complete, asked('/commits')]).toEqual([300, false, 3])

    endless(full({ body: 'no' }))
    const words = { number: 1, words: 'plan' }
    expect(await hostOf('gitlab').findComment('acme/x', words)).toBeNull()
    expect(server.calls).toHaveLength(10)

    endless(full({ url: 'https://elsewhere.example' }))
    await hostOf('gitlab').removeWebhook('acme/x', 'https://cc.example/hook')
    expect(server.calls).toHaveLength(5)
  })

  test('a comment is found behind a page that is short, as GitLab leaves out what is not seen', async () => {
    endless((page) => [{ id: page, body: page === 2 ? 'the plan' : 'no' }])
    const words = { number: 1, words: 'plan' }
    expect(await hostOf('gitlab').findComment('acme/x', words)).toBe('2')
  })

  test('of a page no more items are taken than were asked for', async () => {
    const many = Array.from({ length: 5_000 }, (_, id) => ({ id, author_email: 'a@b.example' }))
    unsigned(() => many)
    const authors = { from: null, to: 'c'.repeat(40), folders: [''] }
    expect((await hostOf('gitlab').authors('acme/x', authors)).commits).toHaveLength(100)

    const push = { ref_type: 'branch', ref: 'main', commit_from: 'a', commit_to: 'b' }
    const events = Array.from({ length: 5_000 }, (_, id) => ({ author_id: id, push_data: push }))
    answer = ({ path }) => ({ status: 200, json: path.endsWith('/events') ? events : { id: 1 } })
    expect(await hostOf('gitlab').pushes('acme/x', 'main')).toHaveLength(100)
    expect(server.calls).toHaveLength(101)
  })

  test('one page is read of what has one, whatever its link says', async () => {
    endless((page) => [{ id: page, iid: page, web_url: 'https://gitlab.example/1', name: 'x' }])
    const calls: Array<(host: GitHost) => Promise<unknown>> = [
      async (host) => host.pushes('acme/x', 'main'),
      async (host) => host.pullRequest('acme/x', { from: 'a', into: 'b', title: '', body: '' }),
      async (host) => host.repositories({ page: 1 }),
      // Not even a list: a host may send one for any answer.
      async (host) => host.repository('acme/x'),
      async (host) => host.head('acme/x', 'main').catch(() => null),
    ]
    for (const call of calls) {
      await call(hostOf('gitlab'))
      expect(server.calls).toHaveLength(1)
    }
  })
})

test('github: of a page no more items are taken than were asked for', async () => {
  const push = (login: number) => ({ before: 'a', after: 'b', actor: { login: String(login) } })
  const pushes = Array.from({ length: 5_000 }, (_, login) => push(login))
  answer = ({ path }) => ({ status: 200, json: path.endsWith('/activity') ? pushes : { id: 1 } })
  expect(await hostOf('github').pushes('acme/x', 'main')).toHaveLength(100)
  expect(server.calls).toHaveLength(101)
})
