import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { webhookKeys } from '../../../domain/git/webhook-secret.ts'
import {
  gitConnections,
  placeOfToken,
  placeOfWebhookSecret,
} from '../../../store/git/git-connections.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  // The clock stops in the middle of a minute, so that every count is exact.
  const now = Math.floor(Date.now() / 60_000) * 60_000 + 30_000
  vi.useFakeTimers({ toFake: ['Date'], now })
  harness = await createHarness({ env: { CC_RATE_LIMITS: 'token=30,address=10' } })
})
afterAll(async () => {
  vi.useRealTimers()
  await harness.close()
})

const secret = Buffer.alloc(32, 1)

async function connection(): Promise<number> {
  const { id: organizationId } = await harness.organization()
  const { store, keyring } = harness.deps
  return store.tenant(organizationId, async (tenant) => {
    const made = await gitConnections(tenant).create({
      provider: 'github',
      product: 'github',
      host: '127.0.0.1:1',
      origin: 'https://127.0.0.1:1',
      token: keyring.seal(placeOfToken(organizationId), 'ghp_aaaaaaaaaaaaaaaaaaaa'),
      repoType: 'infra',
      defaultRepo: null,
      defaultBranch: null,
      status: 'healthy',
      statusReason: null,
      createdBy: null,
      webhookSecret: keyring.seal(placeOfWebhookSecret(organizationId), secret),
    })
    return made.id
  })
}

const send = async (id: number, key = webhookKeys(secret).token) => {
  const payload = '{"zen":"Design for failure."}'
  const right = createHmac('sha256', key).update(payload).digest('hex')
  const { statusCode } = await harness.app.inject({
    method: 'POST',
    url: `/api/git/webhooks/${id}`,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${right}`,
    },
    payload,
  })
  return statusCode
}

const many = async (times: number, ask: () => Promise<number>) => {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1) statuses.push(await ask())
  return statuses
}

test('deliveries of one connection do not use up the limit of their address, and have a limit of their own', async () => {
  const [busy, other] = [await connection(), await connection()]
  const statuses = await many(32, async () => send(busy))
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  expect(statuses.slice(30)).toEqual([429, 429])
  expect(await send(other)).toBe(200)
  // Those that are not signed count under the address.
  const forged = await many(12, async () => send(other, 'another key'))
  expect(forged).toEqual([...Array<number>(10).fill(404), 429, 429])
})
