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
    // SCIM has another credential and other ids: test/api/scim/tenancy.test.ts.
    routes = harness.app
      .routeTable()
      .filter((route) => paramsOf(route).length > 0 && route.access !== 'scim')
  })
  afterAll(async () => harness.close())

  /** What the route answers to somebody's Owner, to a body that it takes and to one that is broken. */
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

  test('200: the ids are real, their own Owner reads by them', async () => {
    // A provider's repositories are read from the provider (test/api/git).
    const reads = routes.filter(
      ({ method, access, url }) =>
        method === 'GET' && access !== 'platform' && !url.endsWith('/connections/:id/repos'),
    )
    expect(reads.length).toBeGreaterThan(10)
    for (const route of reads) {
      const [answer] = await answers(first, route, first.paramsFor(route))
      expect(answer?.status, `${route.url}: ${answer?.body}`).toBe(200)
    }
  })

  test('404: to an Owner of another organization none of them exists', async () => {
    for (const route of routes) await expectNotFound(second, route, first.paramsFor(route))
  })

  test('404: nor does one under another’s parent, or another’s under one’s own', async () => {
    const nested = routes.filter((route) => paramsOf(route).length > 1)
    expect(nested.length).toBeGreaterThan(5)
    for (const route of nested) {
      const { id = '', ...inner } = first.paramsFor(route)
      const { id: ownId = '', ...ownInner } = second.paramsFor(route)
      await expectNotFound(second, route, { id, ...ownInner })
      // A serial counts within its workspace: there it is one's own.
      if (!route.url.includes(':serial'))
        await expectNotFound(second, route, { ...inner, id: ownId })
    }
  })

  test('404: an id that never existed, and one that is none, get the same bytes', async () => {
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

  test('400: an address that is no UTF-8 is told in our words', async () => {
    const response = await harness.app.inject({ url: '/api/workspaces/%ff' })
    expect([response.statusCode, response.json()]).toEqual([
      400,
      { error: 'The request is malformed.', code: 'malformed_request' },
    ])
    expect(response.headers['x-request-id']).toBeTruthy()
    expect(response.headers['ratelimit-limit']).toBeTruthy()
  })

  test('401: an id of any length is looked at after the credential, and counted', async () => {
    for (const id of ['x'.repeat(300), '1'.repeat(10_000)]) {
      const response = await harness.app.inject({ url: `/api/org/users/${id}` })
      expect([response.statusCode, response.json().code]).toEqual([401, 'unauthenticated'])
      expect(response.headers['ratelimit-limit']).toBeTruthy()
    }
  })

  test('404: and so it is for each further id of an address', async () => {
    for (const route of routes)
      for (const name of paramsOf(route).slice(1))
        for (const id of [neverExisted, 'abc', '-1', '99999999999999999999'])
          await expectNotFound(first, route, { ...first.paramsFor(route), [name]: id })
  })
})
