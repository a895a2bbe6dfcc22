import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyShares } from '../../../api/http/body-shares.ts'
import { webhookKeys } from '../../../domain/git/webhook-secret.ts'
import {
  gitConnections,
  placeOfToken,
  placeOfWebhookSecret,
} from '../../../store/git/git-connections.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

const mebibyte = 1_048_576
const secret = Buffer.alloc(32, 1)
let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness?.close())

async function connected() {
  const org = await harness.organization()
  const { store, keyring } = harness.deps
  const { id } = await store.tenant(org.id, async (tenant) =>
    gitConnections(tenant).create({
      provider: 'github',
      product: 'github',
      host: '127.0.0.1:1',
      origin: 'https://127.0.0.1:1',
      token: keyring.seal(placeOfToken(org.id), 'ghp_aaaaaaaaaaaaaaaaaaaa'),
      repoType: 'infra',
      defaultRepo: 'acme/x',
      defaultBranch: 'main',
      status: 'healthy',
      statusReason: null,
      createdBy: null,
      webhookSecret: keyring.seal(placeOfWebhookSecret(org.id), secret),
    }),
  )
  return { org, id }
}
const signed = (body: Buffer, key = webhookKeys(secret).token) =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
/** A push whose commits have so many bytes in all. */
const pushOf = (bytes: number): Buffer => {
  const added = Array.from({ length: 400 }, (_, n) => `src/a-folder/file-${n}.ts`)
  const one = { id: 'a'.repeat(40), message: 'x', author: { name: 'A' }, added, removed: [] }
  const count = Math.floor(bytes / (JSON.stringify(one).length + 1))
  const commits = Array.from({ length: count }, () => one)
  const about = { ref: 'refs/heads/main', after: 'b'.repeat(40), commits }
  return Buffer.from(JSON.stringify({ ...about, repository: { full_name: 'acme/x' } }))
}

/** Begins a request over a socket: an injected body would not arrive in pieces. */
const begin = (id: number, headers: Record<string, string | number>) => {
  const sent = request(`${harness.config.baseUrl}/api/git/webhooks/${id}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      ...headers,
    },
  })
  const answer = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }),
      )
    })
  })
  answer.catch(() => undefined)
  return { sent, answer }
}
const send = async (id: number, body: Buffer, key?: string) => {
  const { sent, answer } = begin(id, {
    'content-length': body.length,
    'x-hub-signature-256': signed(body, key),
  })
  sent.end(body)
  return answer
}
const deliveries = async (connectionId: number) =>
  harness.deps.store.platform('git_deliveries').where({ connectionId })

test('200: a push of 24 MB is taken', async () => {
  const { id } = await connected()
  expect(await send(id, pushOf(24 * mebibyte))).toEqual({ status: 200, text: '{"ok":true}' })
  expect(await deliveries(id)).toMatchObject([{ branches: ['main'], repository: 'acme/x' }])
})

test('404: of 24 MB that are not signed right nothing is read or stored', async () => {
  const { id } = await connected()
  const body = pushOf(24 * mebibyte)
  const wrong = await send(id, body, 'another key')
  expect(wrong.status).toBe(404)
  expect(await send(999_999, body)).toEqual(wrong)
  expect(await deliveries(id)).toEqual([])
})

test('413: a body of more than 25 MiB is refused before it is received', async () => {
  const { id } = await connected()
  const { sent, answer } = begin(id, { 'content-length': 25 * mebibyte + 1 })
  sent.flushHeaders()
  const { status, text } = await answer
  sent.destroy()
  expect([status, JSON.parse(text).code]).toEqual([413, 'body_too_large'])
  expect(text).toContain('25 MiB')
})

test('400: what is signed and cannot be read is shown at the connection, and audited once', async () => {
  const { org, id } = await connected()
  const owner = await org.user('Owner')
  const form = Buffer.from(`payload=${encodeURIComponent('{"ref":"refs/heads/main"}')}`)
  for (const _ of [1, 2]) {
    const { status, text } = await send(id, form)
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      'The body is not JSON. Register the webhook with application/json.',
    ])
  }
  // Of somebody else nothing is noted.
  expect((await send(id, Buffer.from('no'), 'another key')).status).toBe(404)
  const { connection } = (await owner.get(`/api/git/connections/${id}`)).json()
  expect(connection.webhook.reason).toBe(
    'A delivery was refused. The body is not JSON. Register the webhook with application/json.',
  )
  const { entries } = (await owner.get('/api/audit?limit=200')).json()
  const refused = entries.filter(({ event }: { event: string }) => event === 'git.push_refused')
  expect(refused).toMatchObject([{ outcome: 'failure', target: { kind: 'git_connection', id } }])
})

test('503: while many unproven bodies are received, deliveries and SAML forms above 64 KiB are refused alike', async () => {
  // What is read of a request.
  const headers = { 'transfer-encoding': 'chunked' }
  const one = () => ({ ip: '127.0.0.1', headers }) as unknown as FastifyRequest
  // All that an address may have, and as many as may wait for it.
  const others = Array.from({ length: 41 }, one)
  const taken = others.map(async (other) =>
    bodyShares.take(other, { destroyed: false }, 16 * mebibyte),
  )
  const post = async (url: string, type: string, kibibytes: number) => {
    const payload = `a=${'b'.repeat(kibibytes * 1_024)}`
    const sent = { method: 'POST', url, payload, headers: { 'content-type': type } } as const
    return (await harness.app.inject(sent)).statusCode
  }
  const statuses = async (kibibytes: number) => [
    await post('/api/git/webhooks/1', 'application/json', kibibytes),
    await post('/api/auth/saml/acs', 'application/x-www-form-urlencoded', kibibytes),
    await post('/api/auth/saml/slo', 'application/x-www-form-urlencoded', kibibytes),
  ]
  expect(await statuses(500)).toEqual([503, 503, 503])
  expect(await statuses(10)).toEqual([404, 400, 400])
  for (const [n, other] of others.entries()) {
    await taken[n]
    bodyShares.leave(other)
  }
  expect(await statuses(500)).toEqual([404, 400, 400])
})
