import { expect, test, afterAll, beforeAll } from 'vitest'
import { connectGitHost } from '../../../gateways/git/connect-git-host.ts'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import { outboundUntil } from '../../../gateways/outbound/outbound-until.ts'
import { failureOf } from '../../harness/git/each-provider.ts'
import { PeerServer, type PeerAnswer, type PeerRequest } from '../../harness/git/peer-server.ts'

// GitLab's tree as a host may answer it that means harm: pages without end.
let answer: (request: PeerRequest, page: number) => PeerAnswer
let server: PeerServer
let outbound: Outbound
beforeAll(async () => {
  server = new PeerServer(async (request) => answer(request, server.calls.length))
  await server.listen()
  const { port } = server
  outbound = createOutbound({ privateHosts: [{ use: 'git', host: '127.0.0.1', port }] })
})
afterAll(async () => server.close())

const at = { branch: 'main', commit: 'c'.repeat(40), folder: 'live' }
const list = async (way = outbound) => {
  server.calls.length = 0
  const host = connectGitHost(way, { product: 'gitlab', origin: server.url, token: 'a'.repeat(20) })
  return host.listFiles('acme/x', at)
}
const next = (token: string) => ({
  link: `<${server.url}/elsewhere?page_token=${token}>; rel="next"`,
})
const entry = (path: string) => ({ path, id: 'a'.repeat(40), type: 'blob', name: path, mode: '1' })

test('pages follow each other by their token alone', async () => {
  answer = ({ path, url }) => {
    const token = url.searchParams.get('page_token')
    expect(path).toBe('/api/v4/projects/acme%2Fx/repository/tree')
    return token === null
      ? { status: 200, json: [entry('live/a.tf')], headers: next('second') }
      : { status: 200, json: [entry(`live/${token}.tf`)] }
  }
  expect([...(await list()).keys()]).toEqual(['live/a.tf', 'live/second.tf'])
})

test('a link is read from its last <, so that a header of many takes no square of its length', async () => {
  answer = ({ url }) => {
    if (url.searchParams.has('page_token')) return { status: 200, json: [entry('live/b.tf')] }
    const { link } = next('second')
    return { status: 200, json: [entry('live/a.tf')], headers: { link: '<'.repeat(9_000) + link } }
  }
  expect([...(await list()).keys()]).toEqual(['live/a.tf', 'live/b.tf'])
})

test('a host that repeats a page is given up at the second one', async () => {
  answer = () => ({ status: 200, json: [entry('live/a.tf')], headers: next('again') })
  expect((await failureOf(list())).code).toBe('git_provider_unavailable')
  expect(server.calls).toHaveLength(2)
  answer = () => ({ status: 200, json: [], headers: next('empty') })
  expect((await failureOf(list())).code).toBe('git_provider_unavailable')
  expect(server.calls).toHaveLength(2)
})

test('an endless list is given up at the hundredth page, and earlier if the pages are large', async () => {
  answer = (_, page) => ({ status: 200, json: [entry(`live/${page}`)], headers: next(`${page}`) })
  expect((await failureOf(list())).code).toBe('git_repository_too_large')
  expect(server.calls).toHaveLength(100)
  const large = 'x'.repeat(3 * 1_048_576)
  answer = (_, page) => ({
    status: 200,
    json: [entry(`live/${page}`), entry(large)],
    headers: next(`${page}`),
  })
  expect((await failureOf(list())).code).toBe('git_repository_too_large')
  expect(server.calls.length).toBeLessThan(8)
})

test('after the caller aborts, no further page is requested', async () => {
  const left = new AbortController()
  answer = (_, page) => {
    if (page === 3) left.abort()
    return { status: 200, json: [entry(`live/${page}`)], headers: next(`${page}`) }
  }
  expect((await failureOf(list(outboundUntil(outbound, left.signal)))).fault).toBe('unavailable')
  expect(server.calls).toHaveLength(3)
})
