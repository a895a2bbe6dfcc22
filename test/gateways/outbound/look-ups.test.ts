import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createEgressProxy } from '../../../gateways/outbound/egress-proxy.ts'
import { lookUpName } from '../../../gateways/outbound/look-up-name.ts'
import { createOutbound, type Outbound } from '../../../gateways/outbound/outbound.ts'
import { outboundUntil } from '../../../gateways/outbound/outbound-until.ts'
import { postMessage } from '../../../gateways/notifications/post-message.ts'
import { type NameServer, startNameServer } from './name-server.ts'

const names = {
  'good.example': ['8.8.8.8', '2606:4700::1111'],
  'six.example': ['2606:4700::1111'],
  'mixed.example': ['8.8.8.8', '10.0.0.1'],
  'mixed-six.example': ['8.8.8.8', 'fd00::1'],
  'public.silent-six.example': ['8.8.8.8'],
  'private.silent-six.example': ['10.0.0.1'],
  'public.silent-four.example': ['2606:4700::1111'],
  'both.late-four.example': ['8.8.8.8', '2606:4700::1111'],
  'six.late-six.example': ['2606:4700::1111'],
}
const unhurried = () => AbortSignal.timeout(30_000)
const elapsedMs = async (work: Promise<unknown>): Promise<number> => {
  const beganMs = performance.now()
  await work
  return performance.now() - beganMs
}

describe('look-ups of names that somebody else chose', () => {
  let dns: NameServer
  let receiver: Server
  let url: string
  let outbound: Outbound

  beforeAll(async () => {
    dns = await startNameServer(names)
    receiver = createServer((_request, response) => response.end('received'))
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const { port } = receiver.address() as AddressInfo
    url = `http://localhost:${port}/`
    outbound = createOutbound({
      privateHosts: [{ use: 'webhook', host: 'localhost', port }],
      nameServers: [dns.address],
    })
  })
  beforeEach(() => void dns.asked.splice(0))
  afterAll(async () => {
    receiver.close()
    receiver.closeAllConnections()
    await dns.close()
  })

  const check = (host: string, organizationId = 1, from = outbound) =>
    from.resolvePublic({ host, port: 443, use: 'webhook' }, { organizationId })
  const post = (to: string, signal = unhurried()) =>
    postMessage(outbound, { headers: {}, body: '{}' }, { url: to, secrets: [], signal })

  test('messages and look-ups are answered while name servers of others are silent', async () => {
    const ended = new AbortController()
    const dead = Array.from({ length: 16 }, (_, n) =>
      post(`https://n${n}.dead.example/`, ended.signal),
    )
    await vi.waitFor(() =>
      expect(new Set(dns.asked.filter((name) => name.endsWith('dead.example'))).size).toBe(16),
    )
    const waitedMs = await elapsedMs(
      (async () => {
        expect(await post(url)).toMatchObject({ ok: true, status: 200 })
        expect(await check('good.example')).toHaveLength(2)
      })(),
    )
    expect(waitedMs).toBeLessThan(4_000)
    ended.abort()
    for (const one of await Promise.all(dead)) expect(one).toMatchObject({ ok: false })
  })

  test('a name without an answer ends within the time of its request', async () => {
    const waitedMs = await elapsedMs(
      expect(
        outbound.request('https://slow.dead.example/', { use: 'webhook', timeoutMs: 300 }),
      ).rejects.toMatchObject({ code: 'timed_out' }),
    )
    // The resolver itself gives up after 4 s at the earliest.
    expect(waitedMs).toBeLessThan(3_000)
    expect(dns.asked).toContain('slow.dead.example')
  })

  test('a caller who leaves ends the queries: the name server is not asked again', async () => {
    const left = new AbortController()
    const posted = post('https://left.dead.example/', left.signal)
    // A question for each family.
    await vi.waitFor(() => expect(dns.asked).toEqual(['left.dead.example', 'left.dead.example']))
    left.abort()
    expect(await posted).toMatchObject({ ok: false })
    // Longer than the resolver waits before it repeats a question.
    await sleep(2_600)
    expect(dns.asked).toHaveLength(2)
  })

  test('both families are asked, and one private address refuses the name', async () => {
    const families = async (host: string) =>
      (await check(host)).map(({ address, family }) => `${family} ${address}`).toSorted()
    expect(await families('good.example')).toEqual(['4 8.8.8.8', '6 2606:4700::1111'])
    expect(await families('six.example')).toEqual(['6 2606:4700::1111'])
    for (const host of ['mixed.example', 'mixed-six.example'])
      await expect(check(host)).rejects.toMatchObject({ code: 'address_not_allowed' })
    await expect(check('none.example')).rejects.toMatchObject({ code: 'host_not_found' })
  })

  const six = { address: '2606:4700::1111', family: 6 }
  const lookUp = (host: string, hasGlobalV6: boolean) =>
    lookUpName(host, { nameServers: [dns.address], signal: unhurried(), hasGlobalV6 })

  test('a family without an answer does not take away the addresses of the other one', async () => {
    const waitedMs = await elapsedMs(
      Promise.all([
        expect(check('public.silent-six.example')).resolves.toMatchObject([{ address: '8.8.8.8' }]),
        // Of a host that has IPv6.
        expect(lookUp('public.silent-four.example', true)).resolves.toEqual([six]),
      ]),
    )
    // The resolver itself gives up after 4 s at the earliest.
    expect(waitedMs).toBeLessThan(3_000)
    await expect(check('private.silent-six.example')).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
  })

  test('a host without IPv6 waits for a late IPv4 answer, and for IPv6 where there is no IPv4', async () => {
    const four = { address: '8.8.8.8', family: 4 }
    expect(await lookUp('both.late-four.example', false)).toEqual([four, six])
    expect(await lookUp('six.late-six.example', false)).toEqual([six])
  })

  test('a caller who leaves while the other family is awaited gets no addresses', async () => {
    const left = new AbortController()
    const looking = lookUpName('public.silent-six.example', {
      nameServers: [dns.address],
      signal: left.signal,
    })
    await vi.waitFor(() => expect(dns.asked).toHaveLength(2))
    left.abort()
    await expect(looking).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('names of the loopback interface and numbers are refused without asking a name server', async () => {
    for (const host of ['localhost', 'x.localhost', '127.1', '0x7f.1', '2130706433'])
      await expect(check(host)).rejects.toMatchObject({ code: 'address_not_allowed' })
    expect(dns.asked).toEqual([])
  })

  test('an organization has few look-ups at once, and takes none from another', async () => {
    const left = new AbortController()
    const leaving = outboundUntil(outbound, left.signal)
    const dead = Array.from({ length: 12 }, (_, n) =>
      expect(check(`m${n}.dead.example`, 1, leaving)).rejects.toMatchObject({ code: 'timed_out' }),
    )
    await vi.waitFor(() => expect(new Set(dns.asked).size).toBe(4))
    expect(await check('good.example', 2)).toHaveLength(2)
    expect(new Set(dns.asked.filter((name) => name.endsWith('dead.example'))).size).toBe(4)
    left.abort()
    await Promise.all(dead)
  })
})

describe('look-ups of the egress proxy', () => {
  let dns: NameServer
  let proxy: Server

  beforeAll(async () => {
    dns = await startNameServer(names)
    const rules = { privateHosts: [], nameServers: [dns.address] }
    proxy = createEgressProxy({ use: 'cloud', rules, connectTimeoutMs: 3_000 })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(async () => {
    proxy.close()
    proxy.closeAllConnections()
    await dns.close()
  })

  const connect = (host: string) => {
    const { port } = proxy.address() as AddressInfo
    const asking = httpRequest({ port, method: 'CONNECT', path: `${host}:443`, agent: false })
    return new Promise<number | undefined>((resolve, reject) => {
      asking.once('error', reject)
      asking.once('connect', (answer, socket) => {
        socket.destroy()
        resolve(answer.statusCode)
      })
      asking.end()
    })
  }

  test('they end within the time for connecting, and a run has few of them at once', async () => {
    const asking = Array.from({ length: 20 }, (_, n) => connect(`p${n}.dead.example`))
    const ended = elapsedMs(
      Promise.all(asking.map(async (status) => expect(await status).toBe(502))),
    )
    await vi.waitFor(() => expect(new Set(dns.asked).size).toBe(8))
    await sleep(500)
    expect(new Set(dns.asked).size).toBe(8)
    expect(await ended).toBeLessThan(8_000)
    expect(await connect('mixed.example')).toBe(403)
  })
})

describe('names of the hosts file', () => {
  test('are read from it, all addresses of a name, and no name server is asked', async () => {
    const dns = await startNameServer({ 'pinned.example': ['9.9.9.9'] })
    const folder = await mkdtemp(join(tmpdir(), 'hosts-'))
    const hostsFile = join(folder, 'hosts')
    await writeFile(
      hostsFile,
      '# 7.7.7.7 pinned.example\n8.8.8.8\tother Pinned.Example # x\nfe80::1%lo pinned.example\nnone pinned.example\n',
    )
    const lookUp = (host: string) =>
      lookUpName(host, { hostsFile, nameServers: [dns.address], signal: unhurried() })
    try {
      expect(await lookUp('pinned.example')).toEqual([
        { address: '8.8.8.8', family: 4 },
        { address: 'fe80::1%lo', family: 6 },
      ])
      expect(dns.asked).toEqual([])
      await expect(lookUp('inned.example')).rejects.toThrow('ENOTFOUND')
      const own = await lookUpName('localhost', { signal: unhurried() })
      expect(own.map(({ address }) => address)).toContain('127.0.0.1')
    } finally {
      await rm(folder, { recursive: true })
      await dns.close()
    }
  })
})
