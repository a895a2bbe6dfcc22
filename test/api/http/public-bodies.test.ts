import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formLimitBytes } from '../../../api/saml/saml-forms.ts'
import { publicBodyBytes } from '../../../api/http/validation.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const routes = [
  'login',
  'mfa/verify',
  'invitations/accept',
  'invitations/look',
  'password/forgot',
  'password/reset',
  'saml/login',
].map((name) => `/api/auth/${name}`)

/** Bodies of this size that are the most expensive to parse: fields, depth, escapes, errors. */
const bodies = (size: number): Record<string, string> => {
  const fields = (field: (n: number) => string) => {
    const list: string[] = []
    for (let [n, length] = [0, 2]; length < size - 40; n += 1) {
      const next = field(n)
      list.push(next)
      length += next.length + 1
    }
    return `{${list.join(',')}}`
  }
  return {
    'unknown fields': fields((n) => `"${n.toString(36)}":0`),
    'the same field': fields(() => '"a":0'),
    'fields of arrays': fields((n) => `"${n.toString(36)}":[[]]`),
    'one long text': `{"email":"${'a'.repeat(size - 20)}"}`,
    escapes: `{"email":"${'\\u0061'.repeat((size - 20) / 6)}"}`,
    'a long list': `{"email":[${'0,'.repeat((size - 20) / 2)}0]}`,
    depth: `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
    'no JSON': `{"email":"${'\\"'.repeat((size - 20) / 2)}`,
    'quotes in an address': `{"email":"${'"@'.replaceAll('"', '\\"').repeat((size - 20) / 3)}"}`,
  }
}

const send = async (url: string, payload: string, type = 'application/json') =>
  harness.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': type, origin: harness.config.baseUrl ?? '' },
  })

/**
 * Sends over a socket, because the harness reads injected bodies itself to note secrets, which
 * costs CPU.
 */
const deliver = async (payload: Buffer) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(
      `${harness.config.baseUrl}/api/git/webhooks/1`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': payload.length,
          'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
        },
      },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode)),
    )
    sent.on('error', reject).end(payload)
  })

/**
 * The CPU time of the process for one request. It takes the minimum, because other work only adds
 * to it.
 */
async function cpuMs(work: () => Promise<unknown>, tries = 6): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < tries; n += 1) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1_000)
  }
  return Math.min(...times)
}

test('413: a body of more than 16 KiB is not read, on every public route that takes one', async () => {
  for (const url of routes) {
    const response = await send(url, bodies(900_000)['unknown fields'] ?? '')
    expect([url, response.statusCode]).toEqual([url, 413])
  }
})

test('413: a large body that is still arriving is refused after a second, so that a client in a loop costs little', async () => {
  const order: string[] = []
  const refused = new Promise<void>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': 900_000 }
    const sent = request(`${harness.config.baseUrl}/api/auth/login`, { method: 'POST', headers })
    sent.on('response', (answer) => {
      order.push(`refused ${answer.statusCode}`)
      sent.destroy()
      resolve()
    })
    sent.on('error', reject).write('{"email":"')
  })
  void sleep(500).then(() => order.push('half a second'))
  await refused
  expect(order).toEqual(['half a second', 'refused 413'])
})

test('a body of a public route costs less than 20 ms of CPU with any content', async () => {
  const found: Record<string, number> = {}
  for (const url of routes)
    for (const [what, body] of Object.entries(bodies(publicBodyBytes - 100)))
      found[`${url} ${what}`] = await cpuMs(async () => send(url, body))
  const dear: [string, number][] = []
  for (const url of routes)
    for (const [what, body] of Object.entries(bodies(publicBodyBytes - 100))) {
      if ((found[`${url} ${what}`] ?? 0) < 20) continue
      // Of a busy machine six tries may all be too dear.
      const again = await cpuMs(async () => send(url, body), 40)
      if (again >= 20) dear.push([`${url} ${what}`, again])
    }
  expect(dear).toEqual([])
}, 120_000)

test('a SAML message and a webhook delivery cost less than 20 ms of CPU', async () => {
  const form = 'application/x-www-form-urlencoded'
  const nested = '<a>'.repeat(90_000)
  const attributes = `<a ${Array.from({ length: 30_000 }, (_, n) => `x${n}="1"`).join(' ')}/>`
  const base64 = (xml: string) => encodeURIComponent(Buffer.from(xml).toString('base64'))
  const forms = {
    depth: `SAMLResponse=${base64(nested).slice(0, formLimitBytes - 100)}`,
    attributes: `SAMLResponse=${base64(attributes).slice(0, formLimitBytes - 100)}`,
    fields: 'a=1&'.repeat((formLimitBytes - 100) / 4),
    escapes: `SAMLResponse=${'%41'.repeat((formLimitBytes - 100) / 3)}`,
  }
  const found: Record<string, number> = {}
  for (const [what, body] of Object.entries(forms))
    for (const end of ['acs', 'slo'])
      found[`${end} ${what}`] = await cpuMs(async () => send(`/api/auth/saml/${end}`, body, form))
  // The cost is that of sending and reading the request: the service only checks the signature.
  const delivery = JSON.stringify({ commits: Array.from({ length: 200_000 }, () => ({ id: 'x' })) })
  expect(await deliver(Buffer.from(delivery))).toBe(404)
  found['webhook'] = await cpuMs(async () => deliver(Buffer.from(delivery)), 12)
  const dear = Object.entries(found).filter(([, ms]) => ms >= 20)
  expect(dear, JSON.stringify(found)).toEqual([])
}, 60_000)
