import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

test('201: the answer to a start warns if no person may approve the run', async () => {
  const org = await harness.organization()
  const author = await org.user('Deployer')
  const workspace = await org.workspace({ by: author, criticality: 'production' })
  for (const url of [`/api/pipelines/${workspace.pipelineId}/run`, `${workspace.url}/apply`]) {
    const started = await author.post(url)
    expect(started.statusCode, started.body).toBe(201)
    const { run, warnings } = started.json()
    expect(warnings, url).toEqual(['no_eligible_approver'])
    expect(run).not.toHaveProperty('warnings')
  }
  expect((await author.post(`${workspace.url}/plan`)).json()).not.toHaveProperty('warnings')

  await org.user('Deployer')
  const approvable = await author.post(`${workspace.url}/apply`)
  expect(approvable.json()).not.toHaveProperty('warnings')
})

test('400: a number of vars that JSON rounds, and what cannot be masked in place of a sensitive value', async () => {
  const org = await harness.organization()
  const user = await org.user('Deployer')
  const workspace = await org.workspace({ by: user })
  const apply = async (vars: string) => {
    const url = `${workspace.url}/apply`
    const headers = { 'content-type': 'application/json', cookie: `cc_session=${user.cookie}` }
    const payload = `{"vars":${vars}}`
    const sent = { method: 'POST' as const, url, payload, headers }
    const origin = harness.config.baseUrl
    return harness.app.inject({ ...sent, headers: { ...headers, origin } })
  }
  for (const number of ['9007199254740993', '-9007199254740993', '1e300']) {
    const refused = await apply(`{"n":${number}}`)
    expect(refused.statusCode, refused.body).toBe(400)
    const [detail] = refused.json().details
    expect(detail).toMatchObject({ path: 'vars.n', message: expect.stringContaining('as text') })
  }
  for (const accepted of ['9007199254740991', '0.1', '"9007199254740993"'])
    expect((await apply(`{"n":${accepted}}`)).statusCode, accepted).toBe(201)

  const env = { key: 'TF_VAR_token', kind: 'env', value: 'long-enough', sensitive: true }
  expect((await user.post(`${workspace.url}/variables`, env)).statusCode).toBe(201)
  const short = await apply('{"token":12}')
  expect([short.statusCode, short.json().code]).toEqual([400, 'variable_not_maskable'])
})

describe('Idempotency-Key', () => {
  test.each(['run', 'apply', 'plan'])(
    '201: %s with the same key and body is one run',
    async (route) => {
      const org = await harness.organization()
      const [user, other] = [await org.user('Deployer'), await org.user('Deployer')]
      const workspace = await org.workspace({ by: user })
      const url =
        route === 'run' ? `/api/pipelines/${workspace.pipelineId}/run` : `${workspace.url}/${route}`
      const key = randomUUID()
      const send = async (by: TestUser, body: object | undefined, headers = {}) =>
        by.post(url, body, { headers: { 'idempotency-key': key, ...headers } })

      const [first, ...rest] = await Promise.all(
        Array.from({ length: 5 }, async () => send(user, { vars: { word: 'a' } })),
      )
      expect(first?.statusCode, first?.body).toBe(201)
      for (const answer of rest)
        expect([answer.statusCode, answer.json()]).toEqual([201, first?.json()])

      // Another order of the same variables is the same body.
      const [ab, ba] = [
        { a: '1', word: 'a' },
        { word: 'a', a: '1' },
      ]
      const headers = { 'idempotency-key': randomUUID() }
      const ordered = await send(user, { vars: ab }, headers)
      expect(ordered.statusCode, ordered.body).toBe(201)
      expect((await send(user, { vars: ba }, headers)).json()).toEqual(ordered.json())

      const another = await send(user, { vars: { word: 'b' } })
      expect([another.statusCode, another.json().code]).toEqual([409, 'idempotency_key_reused'])
      // The key belongs to the person, with any of their credentials. Another person's key is a
      // different key.
      const byToken = await harness.app.inject({
        method: 'POST',
        url,
        payload: { vars: { word: 'a' } },
        headers: {
          authorization: `Bearer ${await user.token('Deployer')}`,
          'idempotency-key': key,
        },
      })
      expect(byToken.json()).toEqual(first?.json())
      const foreign = await send(other, { vars: { word: 'b' } })
      expect(foreign.statusCode, foreign.body).toBe(201)
      expect(foreign.json().run.id).not.toBe(first?.json().run.id)
      expect((await user.get(`${workspace.url}/runs`)).json().runs).toHaveLength(3)
    },
  )
})
