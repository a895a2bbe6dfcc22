import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'

describe('outgoing requests', () => {
  let server: Server
  let other: Server
  let outbound: Outbound
  let url: string
  let otherUrl: string
  let lookups = 0
  let rebinds = false
  const seen: Array<{ line: string; headers: IncomingHttpHeaders }> = []

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ line: `${request.method} ${request.url}`, headers: request.headers })
      const go = (status: number, location: string) =>
        response.writeHead(status, { location }).end()
      if (request.url === '/loop') return go(302, '/loop')
      if (request.url === '/same') return go(302, '/end')
      if (request.url === '/other') return go(302, `${otherUrl}/end`)
      if (request.url === '/other-307') return go(307, `${otherUrl}/end`)
      if (request.url === '/metadata') return go(302, 'http://169.254.169.254/latest/')
      if (request.url === '/hang') return undefined
      if (request.url === '/large') return response.end('x'.repeat(5000))
      return response.end('end')
    })
    other = createServer((request, response) => {
      seen.push({ line: `other ${request.method} ${request.url}`, headers: request.headers })
      response.end('other')
    })
    const ports: number[] = []
    for (const each of [server, other]) {
      await once(each.listen(0, '127.0.0.1'), 'listening')
      ports.push((each.address() as AddressInfo).port)
    }
    url = `http://git.test:${ports[0]}`
    otherUrl = `http://git.test:${ports[1]}`
    outbound = createOutbound({
      privateHosts: ports.map((port) => ({ use: 'git', host: 'git.test', port })),
      lookup: async () => {
        lookups += 1
        // DNS rebinding: the second look-up returns another address.
        if (rebinds && lookups > 1) return [{ address: '127.0.0.2', family: 4 }]
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
  })
  afterAll(() => {
    for (const each of [server, other]) {
      each.close()
      each.closeAllConnections()
    }
  })

  const secrets = { Authorization: 'Bearer s', Cookie: 'c=s', 'PRIVATE-TOKEN': 's' }

  test('a private host is reached only for its use, and plain http is refused elsewhere', async () => {
    const answer = await outbound.request(`${url}/end`, { use: 'git' })
    expect([answer.status, String(answer.body)]).toEqual([200, 'end'])
    await expect(outbound.request(`${url}/end`, { use: 'webhook' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
    lookups = 0
    for (const address of ['http://example.com/', 'ftp://example.com/', 'file:///etc/passwd'])
      await expect(outbound.request(address, { use: 'git' })).rejects.toMatchObject({
        code: 'address_not_allowed',
      })
    expect(lookups).toBe(0)
  })

  test('the name is resolved once: the connection uses the address that was checked', async () => {
    lookups = 0
    rebinds = true
    const answer = await outbound.request(`${url}/end`, { use: 'git' })
    expect(answer.status).toBe(200)
    expect(lookups).toBe(1)
    rebinds = false
  })

  test('credentials follow a redirect only to the same origin', async () => {
    await outbound.request(`${url}/same`, { use: 'git', headers: secrets })
    expect(seen.at(-1)).toMatchObject({ headers: { authorization: 'Bearer s', cookie: 'c=s' } })
    await outbound.request(`${url}/other`, { use: 'git', headers: secrets })
    expect(seen.at(-1)?.line).toBe('other GET /end')
    expect(JSON.stringify(seen.at(-1)?.headers)).not.toMatch(/Bearer|c=s|private-token/)
  })

  test('a body is not sent on to another origin', async () => {
    const sent = outbound.request(`${url}/other-307`, { use: 'git', method: 'POST', body: 'x' })
    await expect(sent).rejects.toMatchObject({ code: 'bad_redirect' })
  })

  test('a redirect is checked like the first address, and the number of redirects is limited', async () => {
    await expect(outbound.request(`${url}/metadata`, { use: 'git' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
    await expect(outbound.request(`${url}/loop`, { use: 'git' })).rejects.toMatchObject({
      code: 'too_many_redirects',
    })
    const plain = await outbound.request(`${url}/loop`, { use: 'git', maxRedirects: 0 })
    expect(plain.status).toBe(302)
  })

  test('an answer that is too large or too slow is an error with a fixed message', async () => {
    await expect(
      outbound.request(`${url}/large`, { use: 'git', maxBytes: 4999 }),
    ).rejects.toMatchObject({ code: 'response_too_large' })
    await expect(
      outbound.request(`${url}/hang`, { use: 'git', timeoutMs: 200 }),
    ).rejects.toMatchObject({ code: 'timed_out', message: 'The host did not answer in time' })
    const closed = createOutbound({
      privateHosts: [{ use: 'git', host: '127.0.0.1', port: 9 }],
    })
    await expect(closed.request('http://127.0.0.1:9/', { use: 'git' })).rejects.toMatchObject({
      fault: 'unavailable',
      message: 'The host could not be reached',
    })
  })
})
