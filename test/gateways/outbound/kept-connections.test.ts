import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createOutbound,
  type KeptOutbound,
  type Outbound,
} from '../../../gateways/outbound/outbound.ts'
import { outboundUntil } from '../../../gateways/outbound/outbound-until.ts'
import { eventually } from '../../harness/eventually.ts'

describe('connections that stay open', () => {
  let server: Server
  let outbound: Outbound
  let kept: KeptOutbound
  let url: string
  let address: string
  let sockets: Socket[]
  let lookups: number
  let requests: number
  let resetsNext: boolean

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests += 1
      const go = (status: number, location: string) =>
        // With a body, which nobody reads.
        response.writeHead(status, { location }).end('x'.repeat(500_000))
      if (request.url === '/loopback') return go(302, 'http://127.0.0.1:1/')
      if (request.url === '/loopback-307') return go(307, 'http://127.0.0.1:1/')
      if (request.url === '/metadata') return go(302, 'http://169.254.169.254/latest/')
      if (request.url === '/hang') return undefined
      if (resetsNext) {
        resetsNext = false
        return request.socket.resetAndDestroy()
      }
      return response.end('end')
    })
    server.on('connection', (socket: Socket) => sockets.push(socket))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    url = `http://cloud.test:${port}`
    outbound = createOutbound({
      privateHosts: [{ use: 'cloud', host: 'cloud.test', port }],
      lookup: async (host) => {
        if (host === 'rebound.test') return [{ address: '127.0.0.1', family: 4 }]
        lookups += 1
        return [{ address, family: 4 }]
      },
    })
  })
  beforeEach(() => {
    kept?.close()
    kept = outbound.keep()
    ;[sockets, lookups, requests, resetsNext] = [[], 0, 0, false]
    address = '127.0.0.1'
  })
  afterAll(() => {
    kept.close()
    server.close()
    server.closeAllConnections()
  })
  const post = async (path = '/end', over: Outbound = kept) =>
    over.request(`${url}${path}`, { use: 'cloud', method: 'POST', body: 'x', timeoutMs: 2_000 })

  test('two requests take one connection, and one look-up', async () => {
    expect(String((await post()).body)).toBe('end')
    expect(String((await post()).body)).toBe('end')
    expect([sockets.length, lookups]).toEqual([1, 1])
  })

  test('without keep, each request has its own connection, which is closed', async () => {
    await post('/end', outbound)
    await post('/end', outbound)
    expect([sockets.length, lookups]).toEqual([2, 2])
    await eventually(async () => sockets.every(({ destroyed }) => destroyed))
  })

  test('a name that was rebound: an open connection stays at the checked address, and a new one is checked', async () => {
    await post()
    address = '127.0.0.2'
    await post()
    expect([sockets.length, sockets[0]?.localAddress]).toEqual([1, '127.0.0.1'])
    // The next connection looks the name up again.
    sockets[0]?.destroy()
    address = '127.0.0.1'
    await eventually(async () => sockets[0]?.destroyed)
    await post()
    expect([sockets.length, lookups]).toEqual([2, 2])
    // A name that nothing opens, at a private address.
    const rebound = kept.request('https://rebound.test/', { use: 'cloud' })
    await expect(rebound).rejects.toMatchObject({ code: 'address_not_allowed' })
  })

  test('a connection is used for its own use alone', async () => {
    await post()
    await expect(kept.request(`${url}/end`, { use: 'webhook' })).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
    expect(requests).toBe(1)
  })

  test.each(['/loopback', '/loopback-307', '/metadata'])(
    'a redirect of a kept connection is checked: %s',
    async (path) => {
      await expect(post(path)).rejects.toMatchObject({ code: 'address_not_allowed' })
    },
  )

  test('a connection that the host has closed meanwhile is replaced, and the request repeated', async () => {
    await post()
    resetsNext = true
    expect(String((await post()).body)).toBe('end')
    expect([sockets.length, requests]).toEqual([2, 3])
    // A new connection that is reset is a failure.
    kept.close()
    kept = outbound.keep()
    resetsNext = true
    await expect(post()).rejects.toMatchObject({ code: 'connection_failed' })
  })

  test('a connection outlives the time limit of the request that opened it', async () => {
    await kept.request(`${url}/end`, { use: 'cloud', timeoutMs: 150 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await post()
    expect(sockets.length).toBe(1)
  })

  test('a request that is given up leaves no connection behind, and the next one works', async () => {
    const slow = kept.request(`${url}/hang`, { use: 'cloud', timeoutMs: 150 })
    await expect(slow).rejects.toMatchObject({ code: 'timed_out' })
    await eventually(async () => sockets[0]?.destroyed === true)
    expect(String((await post()).body)).toBe('end')
  })

  test('at most four connections an origin are open at a time', async () => {
    await Promise.all(Array.from({ length: 20 }, async () => post()))
    expect(requests).toBe(20)
    expect(sockets.length).toBeLessThanOrEqual(4)
  })

  test('a redirect leaves no connection in use', async () => {
    for (let at = 0; at < 4; at += 1) {
      const redirected = kept.request(`${url}/loopback`, { use: 'cloud', timeoutMs: 60_000 })
      await expect(redirected).rejects.toMatchObject({ code: 'address_not_allowed' })
    }
    expect(String((await post()).body)).toBe('end')
  })

  test('close ends the idle connections, and later requests keep none', async () => {
    await post()
    kept.close()
    await eventually(async () => sockets[0]?.destroyed === true)
    await post()
    await eventually(async () => sockets[1]?.destroyed === true)
  })

  test('the limit of a signal holds for kept connections too', async () => {
    const end = new AbortController()
    const limited = outboundUntil(outbound, end.signal).keep()
    await post('/end', limited)
    end.abort()
    await expect(post('/end', limited)).rejects.toMatchObject({ code: 'timed_out' })
    limited.close()
  })
})
