import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../../../config.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { createSecondApp, type SecondApp } from '../../harness/second-app.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
let second: SecondApp
beforeAll(async () => {
  // The clock stops in the middle of a minute, so that every count is exact.
  const now = Math.floor(Date.now() / 60_000) * 60_000 + 30_000
  vi.useFakeTimers({ toFake: ['Date'], now })
  harness = await createHarness({
    env: { CC_RATE_LIMITS: 'token=40,address=20', CC_TRUSTED_PROXIES: '127.0.0.1' },
  })
  second = await createSecondApp(harness)
})
afterAll(async () => {
  vi.useRealTimers()
  await second.close()
  await harness.close()
})

const me = '/api/auth/me'
const user = async () => (await harness.organization()).user('Viewer')
const many = async <T>(times: number, ask: () => Promise<T>) =>
  Promise.all(Array.from({ length: times }, ask))
const allowed = (answers: Array<{ statusCode: number }>) =>
  answers.filter(({ statusCode }) => statusCode !== 429).length

let addresses = 0
const fromNewAddress = () => {
  addresses += 1
  const address = `203.0.113.${addresses}`
  return (url: string, headers = {}) =>
    harness.app.inject({ url, headers: { 'x-forwarded-for': address, ...headers } })
}
const share = async () => {
  for (const { rateLimits } of [harness.app, second.app, harness.app]) await rateLimits.sync()
}

describe('rate limits', () => {
  test('429: a session’s limit is stated in every answer, with the time to wait', async () => {
    const person = await user()
    const answers = await many(50, () => person.get(me))
    expect(allowed(answers)).toBe(40)
    // Of fifty concurrent requests, the first one sent may not be the first one counted.
    const left = ({ headers }: (typeof answers)[number]) => Number(headers['ratelimit-remaining'])
    const [first] = answers.toSorted((one, other) => left(other) - left(one))
    expect(first?.headers).toMatchObject({
      'ratelimit-limit': '40',
      'ratelimit-remaining': '39',
      'ratelimit-policy': '40;w=60',
    })
    const refused = answers.findLast(({ statusCode }) => statusCode === 429)
    expect(refused?.json().code).toBe('rate_limited')
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused?.headers['retry-after'])).toBeLessThan(120)
    // Another user, and a token of the same user, have their own counts.
    expect((await (await user()).get(me)).statusCode).toBe(200)
    const headers = { authorization: `Bearer ${await person.token()}` }
    expect((await harness.app.inject({ url: me, headers })).statusCode).toBe(200)
  })

  test('429: unauthenticated requests count by address: public, unknown and hidden routes, bad credentials', async () => {
    const asks = [
      { url: '/api/openapi.json' },
      { url: '/api/nothing' },
      { url: '/api/admin/organizations' },
      { url: me },
      { url: me, headers: { authorization: 'Bearer nonsense' } },
      { url: me, headers: { cookie: 'cc_session=guess' } },
    ]
    for (const { url, headers } of asks) {
      const ask = fromNewAddress()
      expect(allowed(await many(25, () => ask(url, headers))), url).toBe(20)
      // All of them share one count.
      expect((await ask('/api/nothing')).statusCode).toBe(429)
    }
    expect((await fromNewAddress()('/api/nothing')).statusCode).toBe(404)
  })

  test('200: an address at its limit still serves sessions and health checks', async () => {
    const person = await user()
    const ask = fromNewAddress()
    await many(25, () => ask('/api/nothing'))
    expect((await ask(me, { cookie: `cc_session=${person.cookie}` })).statusCode).toBe(200)
    expect((await ask('/healthz')).statusCode).toBe(200)
  })

  test('429: an address is refused after a second, so that a client in a loop costs little', async () => {
    const person = await user()
    const ask = fromNewAddress()
    await many(20, () => ask('/api/nothing'))
    const order: string[] = []
    const refused = ask('/api/nothing').then(({ statusCode }) =>
      order.push(`refused ${statusCode}`),
    )
    // Another user sends four requests, one after the other.
    for (let at = 0; at < 4; at += 1) order.push(`answered ${(await person.get(me)).statusCode}`)
    await refused
    expect(order).toEqual([...Array.from({ length: 4 }, () => 'answered 200'), 'refused 429'])
  })

  test('429: an address with more than 200 waiting requests is refused immediately', async () => {
    const ask = fromNewAddress()
    await many(20, () => ask('/api/nothing'))
    const asked = Array.from({ length: 210 }, (_, at) => ask('/api/nothing').then(() => at))
    expect(await Promise.race(asked)).toBeGreaterThanOrEqual(200)
    await Promise.all(asked)
  })

  test('429: a refused session is refused for another second without being looked up, on that route', async () => {
    const organization = await harness.organization()
    const [owner, person] = [await organization.user('Owner'), await organization.user('Viewer')]
    await many(41, () => person.get(me))
    const ended = await owner.patch(`/api/org/users/${person.id}`, { active: false })
    expect(ended.statusCode).toBe(200)
    const again = await person.get(me)
    expect(again.json().code).toBe('rate_limited')
    expect(again.headers).toMatchObject({
      'ratelimit-limit': '40',
      'retry-after': expect.stringMatching(/^\d+$/),
    })
    // Elsewhere, and after the second, it is known that the session has ended.
    expect((await person.get('/api/workspaces')).statusCode).toBe(401)
    const now = Date.now()
    vi.setSystemTime(now + 1_001)
    expect((await person.get(me)).statusCode).toBe(401)
    vi.setSystemTime(now)
  })

  test('429: the count of one process applies in the other', async () => {
    const person = await user()
    const elsewhere = (someone: TestUser) => second.call(someone, 'GET', { url: me })
    await many(30, () => person.get(me))
    // Before the processes exchange counts, each knows its own. They exchange counts above a
    // twentieth of the limit.
    expect(allowed(await many(2, () => elsewhere(person)))).toBe(2)
    await share()
    expect(allowed(await many(30, () => elsewhere(person)))).toBe(8)
    // A process reads the other counts when it writes its own, so one more request updates the
    // first.
    await share()
    await person.get(me)
    await share()
    expect((await person.get(me)).statusCode).toBe(429)
  })
})

describe('CC_RATE_LIMITS', () => {
  test.each(['token', 'token=0', 'token=-1', 'tokens=5', 'token=1.5', 'token=5;scim=6'])(
    '%s is named as a fault',
    (value) => {
      expect(() => readConfig({ CC_RATE_LIMITS: value })).toThrow('CC_RATE_LIMITS')
    },
  )

  test('a limit that is not named keeps its default', () => {
    expect(harness.config.rateLimits).toEqual({
      token: 40,
      scim: 12_000,
      agent: 600,
      agents: 30_000,
      address: 20,
    })
  })
})
