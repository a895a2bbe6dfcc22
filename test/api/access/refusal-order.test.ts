import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { addressOf, callRoute, cookieOf, paramsOf } from './call-route.ts'
import { makeFullOrganization, type FullOrganization } from './full-organization.ts'

/** Bodies that a schema takes and a handler refuses. */
const refused: Array<[string, string, object]> = [
  ['POST', '/api/workspaces/:id/variables', { key: 'TF_LOG', kind: 'env', value: 'x' }],
  ['POST', '/api/pipelines/:id/variables', { key: 'LD_PRELOAD', value: 'x', phase: 'build' }],
  ['PATCH', '/api/cloud/accounts/:id', { endpoint: 'ftp://cloud.example' }],
  ['PATCH', '/api/notifications/:id', { url: 'ftp://hook.example' }],
  ['PATCH', '/api/policies/:id', { rego: 'no rego' }],
  [
    'PUT',
    '/api/finops/units/:id/values',
    { values: [1, 2].map((value) => ({ day: '2026-03-01', value })) },
  ],
]

describe('404 comes before 400 and 409', () => {
  let harness: Harness
  let first: FullOrganization
  let second: FullOrganization
  beforeAll(async () => {
    harness = await createHarness()
    first = await makeFullOrganization(harness)
    second = await makeFullOrganization(harness)
  })
  afterAll(async () => harness.close())

  const routeOf = (method: string, url: string) => {
    const route = harness.app.routeTable().find((one) => one.method === method && one.url === url)
    if (!route) throw new Error(`there is no ${method} ${url}`)
    return route
  }
  const call = async (
    by: FullOrganization,
    { method, url, key }: { method: string; url: string; key?: string },
    body?: unknown,
  ) => {
    const [path = '', query] = url.split('?')
    const route = routeOf(method, path)
    const address = addressOf(route, first.paramsFor(route)) + (query ? `?${query}` : '')
    const headers = {
      ...cookieOf(by.owner.cookie, harness.config.baseUrl),
      ...(key && { 'idempotency-key': key }),
    }
    return (await callRoute(harness.app, route, { address, headers, body })).statusCode
  }

  test.each(refused)('%s %s with a body that the handler refuses', async (method, url, body) => {
    expect(await call(first, { method, url }, body)).toBe(400)
    expect(await call(second, { method, url }, body)).toBe(404)
  })

  test('a query that no route takes', async () => {
    const reads = harness.app
      .routeTable()
      .filter((route) => route.method === 'GET' && paramsOf(route).length > 0)
      .filter(({ access }) => access !== 'scim' && access !== 'agent' && access !== 'platform')
      .filter(({ url }) => !/^\/(?:oidc|api\/releases)\//.test(url))
    const refusing: string[] = []
    for (const { method, url } of reads) {
      const query = { method, url: `${url}?limit=0&format=x` }
      if ((await call(first, query)) === 400) refusing.push(url)
      expect(await call(second, query), url).toBe(404)
    }
    expect(refusing).toContain('/api/pipelines/:id/runs/:runId')
    expect(refusing.length).toBeGreaterThan(20)
  })

  test.each(['/api/cloud/accounts/:id/sync', '/api/workspaces/:id/plan', '/api/pipelines/:id/run'])(
    'POST %s with an Idempotency-Key of another request',
    async (url) => {
      const key = randomUUID()
      const settings = { headers: { 'idempotency-key': key } }
      const workspace = await second.org.workspace({ by: second.owner })
      const earlier = await second.owner.post(`${workspace.url}/plan`, {}, settings)
      expect(earlier.statusCode, earlier.body).toBe(201)
      expect(await call(second, { method: 'POST', url, key }, {})).toBe(404)
    },
  )

  test('a rollback with an Idempotency-Key of another request', async () => {
    const key = randomUUID()
    const workspace = await second.org.workspace({ by: second.owner })
    const settings = { headers: { 'idempotency-key': key } }
    await second.owner.post(`${workspace.url}/plan`, {}, settings)
    const url = '/api/pipelines/:id/runs/:runId/rollback'
    expect(await call(second, { method: 'POST', url, key }, {})).toBe(404)
  })
})
