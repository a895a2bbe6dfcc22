import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TableRoute } from '../../../api/http/route-table.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { addressOf, callRoute, cookieOf, neverExisted, paramsOf } from './call-route.ts'
import { makeFullOrganization, type FullOrganization } from './full-organization.ts'
import { validBody } from './valid-bodies.ts'

const notFound = { status: 404, body: '{"error":"Not found","code":"not_found"}' }
const broken = '{"no such field": true, '

describe('every route with an id in its address', () => {
  let harness: Harness
  let first: FullOrganization
  let second: FullOrganization
  let routes: TableRoute[]
  beforeAll(async () => {
    harness = await createHarness()
    first = await makeFullOrganization(harness)
    second = await makeFullOrganization(harness)
    // SCIM and agents have other credentials and ids: test/api/scim/tenancy.test.ts,
    // test/api/agents/protocol.test.ts. An issuer's documents are for everybody who has its address:
    // test/api/clouds/issuer.test.ts.
    routes = harness.app
      .routeTable()
      .filter((route) => paramsOf(route).length > 0)
      .filter(({ access }) => access !== 'scim' && access !== 'agent')
      // Those name no id of an organization, or a code that is proof enough.
      .filter(({ url }) => !/^\/(?:oidc|api\/releases)\//.test(url))
  })
  afterAll(async () => harness.close())

  /** The route's answers to this Owner, for a valid body and for a malformed one. */
  const answers = async (
    by: FullOrganization,
    route: TableRoute,
    params: Record<string, string>,
  ) => {
    const headers = cookieOf(by.owner.cookie, harness.config.baseUrl)
    const address = addressOf(route, params)
    const valid = validBody(route)
    const found = []
    for (const body of valid === undefined ? [undefined] : [valid, broken]) {
      const response = await callRoute(harness.app, route, { address, headers, body })
      found.push({ status: response.statusCode, body: response.body })
    }
    return found
  }

  const expectNotFound = async (
    by: FullOrganization,
    route: TableRoute,
    params: Record<string, string>,
  ) => {
    for (const answer of await answers(by, route, params))
      expect(answer, `${route.method} ${addressOf(route, params)}`).toEqual(notFound)
  }

  test('200: the organization’s own Owner reads each resource', async () => {
    // Read from the provider (test/api/git) and from the cloud (test/api/clouds).
    const elsewhere = /\/(connections\/:id\/repos|accounts\/:id\/members)$/
    const reads = routes.filter(
      ({ method, access, url }) =>
        method === 'GET' && access !== 'platform' && !elsewhere.test(url),
    )
    expect(reads.length).toBeGreaterThan(10)
    for (const route of reads) {
      const [answer] = await answers(first, route, first.paramsFor(route))
      expect(answer?.status, `${route.url}: ${answer?.body}`).toBe(200)
    }
  })

  test('404: an Owner of another organization gets not-found for each id', async () => {
    for (const route of routes) await expectNotFound(second, route, first.paramsFor(route))
  })

  test('404: an own id under another’s parent, and another’s id under an own parent', async () => {
    const nested = routes.filter((route) => paramsOf(route).length > 1)
    expect(nested.length).toBeGreaterThan(5)
    for (const route of nested) {
      const { id = '', ...inner } = first.paramsFor(route)
      const { id: ownId = '', ...ownInner } = second.paramsFor(route)
      await expectNotFound(second, route, { id, ...ownInner })
      // A serial counts within its workspace, so it exists there too.
      if (!route.url.includes(':serial'))
        await expectNotFound(second, route, { ...inner, id: ownId })
    }
  })

  test('404: an unknown id and a malformed id get the same body', async () => {
    const none = [
      '0',
      '-1',
      '1.5',
      '99999999999',
      'abc',
      '1abc',
      '%20',
      '0x1',
      '1.0',
      '+1',
      '01',
      '1%00',
      '１',
      'x'.repeat(300),
    ]
    for (const route of routes)
      for (const id of [neverExisted, ...none])
        await expectNotFound(first, route, { ...first.paramsFor(route), id })
  })

  test('400: an address that is not UTF-8 gets the product’s own error body', async () => {
    const response = await harness.app.inject({ url: '/api/workspaces/%ff' })
    expect([response.statusCode, response.json()]).toEqual([
      400,
      { error: 'The request is malformed.', code: 'malformed_request' },
    ])
    expect(response.headers['x-request-id']).toBeTruthy()
    expect(response.headers['ratelimit-limit']).toBeTruthy()
  })

  test('401: the credential is checked before an id of any length, and the request is counted', async () => {
    for (const id of ['x'.repeat(300), '1'.repeat(10_000)]) {
      const response = await harness.app.inject({ url: `/api/org/users/${id}` })
      expect([response.statusCode, response.json().code]).toEqual([401, 'unauthenticated'])
      expect(response.headers['ratelimit-limit']).toBeTruthy()
    }
  })

  test('404: unknown and malformed values of each further id of an address', async () => {
    for (const route of routes)
      for (const name of paramsOf(route).slice(1))
        for (const id of [neverExisted, 'abc', '-1', '99999999999999999999'])
          await expectNotFound(first, route, { ...first.paramsFor(route), [name]: id })
  })
})
