import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSecret, newToken, type TokenKind } from '../../../domain/access/credentials.ts'
import type { TableRoute } from '../../../api/http/route-table.ts'
import { organizations } from '../../../store/platform/organizations.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import { runInPhase } from '../workspaces/run-in-phase.ts'
import { bearerOf, callRoute, cookieOf } from './call-route.ts'

type Headers = Record<string, string>

describe('every route that is not public', () => {
  let harness: Harness
  let routes: TableRoute[]
  let good: TestUser
  const bad = new Map<string, Headers>()
  const spoiltScim: Headers[] = []
  const spoiltAgents: Headers[] = []
  /** Valid tokens of a host's agent, and of one that enrolls hosts. */
  const ofAgents = new Map<string, Headers>()
  /** A valid token of a run, which gives access to the state of its workspace only. */
  let runToken: Headers

  beforeAll(async () => {
    harness = await createHarness()
    routes = harness.app.routeTable().filter(({ access }) => access !== 'public')
    const org = await harness.organization()
    good = await org.user('Owner')
    await collect(org.id)

    const workspace = await org.workspace()
    const place = { organizationId: org.id, workspaceId: workspace.id, authorUserId: good.id }
    runToken = bearerOf((await runInPhase(harness.deps, place, 'planning')).token)
  })
  afterAll(async () => harness.close())

  async function collect(organizationId: number): Promise<void> {
    const { store, config } = harness.deps
    const platform = store.platform
    const cookie = ({ cookie: value }: TestUser) => cookieOf(value, config.baseUrl)
    const person = async () => (await harness.organization()).user('Owner')
    const spoilt = async (table: string, change: Record<string, unknown>) => {
      const user = await person()
      const token = await user.token('Owner')
      await platform(table)
        .where(table === 'users' ? { id: user.id } : { userId: user.id })
        .update(change)
      return table === 'tokens' ? bearerOf(token) : cookie(user)
    }
    const ofKind = async (kind: TokenKind, more: Record<string, unknown> = {}) => {
      const { plain, hash, prefix } = newToken(kind)
      await platform('tokens').insert({
        organizationId,
        kind,
        hash,
        prefix,
        name: kind,
        role: 'Org Admin',
        expiresAt: new Date(Date.now() + 3_600_000),
        ...more,
      })
      return bearerOf(plain)
    }
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const valid = await good.token('Owner')
    const agentOf = async (kind: 'host' | 'join', workspaceId: number, more: object = {}) => {
      const [{ id }] = await platform('agents')
        .insert({
          organizationId,
          workspaceId,
          kind,
          name: kind,
          ...(kind === 'join' && { joinMaxAgents: 1 }),
          ...more,
        })
        .returning('id')
      return id
    }
    const { id: workspaceId } = await (await harness.organization()).workspace()
    const own = await platform('workspaces').where({ id: workspaceId }).first('organizationId')
    const inOther = { organizationId: own.organizationId }
    const tokenOf = async (kind: 'host' | 'join', more: object = {}, agent: object = {}) =>
      ofKind('agt', {
        ...inOther,
        agentId: await agentOf(kind, workspaceId, {
          ...inOther,
          name: `a${Math.random().toString(36).slice(2)}`,
          ...agent,
        }),
        ...more,
      })
    ofAgents.set('agent', await tokenOf('host'))
    ofAgents.set('join', await tokenOf('join'))
    spoiltAgents.push(await tokenOf('host', { revokedAt: ago(0) }))
    spoiltAgents.push(await tokenOf('host', { expiresAt: ago(1) }))
    spoiltAgents.push(await tokenOf('host', {}, { deletedAt: ago(0) }))
    spoiltAgents.push(await tokenOf('join', { expiresAt: ago(1) }))

    bad.set('nothing', {})
    bad.set('a garbage cookie', cookieOf('garbage', config.baseUrl))
    bad.set('an unknown cookie', cookieOf(newSecret().plain, config.baseUrl))
    bad.set('a garbage bearer', bearerOf('garbage'))
    bad.set('an empty bearer', { authorization: 'Bearer ' })
    bad.set('no scheme', { authorization: valid })
    bad.set('another scheme', { authorization: `Token ${valid}` })
    bad.set('more than a token', { authorization: `Bearer ${valid} ${valid}` })
    bad.set('a bearer that is a cookie', bearerOf(good.cookie))
    bad.set('a token as a cookie', cookieOf(valid, config.baseUrl))
    bad.set('a wrong checksum', bearerOf(`${valid.slice(0, -1)}${valid.endsWith('0') ? '1' : '0'}`))
    bad.set('an unknown token', bearerOf(newToken('pat').plain))
    bad.set('a garbage bearer beside a good cookie', { ...cookie(good), ...bearerOf('garbage') })
    bad.set('an expired token', await spoilt('tokens', { expiresAt: ago(1) }))
    bad.set('a revoked token', await spoilt('tokens', { revokedAt: ago(0) }))
    bad.set('an expired session', await spoilt('sessions', { expiresAt: ago(1) }))
    bad.set('an idle session', await spoilt('sessions', { lastSeenAt: ago(13) }))
    bad.set('a revoked session', await spoilt('sessions', { revokedAt: ago(0) }))
    bad.set('somebody deactivated', await spoilt('users', { active: false }))
    bad.set('somebody deprovisioned', await spoilt('users', { deprovisionedAt: ago(0) }))
    bad.set('a SCIM token', await ofKind('scim'))

    spoiltScim.push(await ofKind('scim', { revokedAt: ago(0) }))
    spoiltScim.push(await ofKind('scim', { expiresAt: ago(1) }))
    const suspended = await harness.organization()
    const theirs = await suspended.user('Owner')
    bad.set('a suspended organization’s token', bearerOf(await theirs.token('Owner')))
    bad.set('a suspended organization’s session', cookie(theirs))
    spoiltScim.push(await ofKind('scim', { organizationId: suspended.id }))
    await organizations(platform).setStatus(suspended.id, 'suspended')
  }

  const statusOf = async (route: TableRoute, headers: Headers) => {
    // The credential is checked before the body is read.
    const response = await callRoute(harness.app, route, { headers, body: '{"broken' })
    if (route.method === 'HEAD') return `${response.statusCode}`
    const { code, status, schemas } = response.json()
    if (schemas)
      return `${response.statusCode} ${String(response.headers['www-authenticate'])} ${status}`
    // A 401 must have this header (RFC 9110, section 15.5.2).
    if (response.statusCode === 401) expect(response.headers['www-authenticate']).toMatch(/Bearer/)
    return `${response.statusCode} ${code}`
  }
  const refusal = ({ access, method }: TableRoute) => {
    if (access === 'scim') return method === 'HEAD' ? '401' : '401 Bearer realm="cloud-control" 401'
    return access === 'platform' ? '404 not_found' : '401 unauthenticated'
  }

  test('401: refuses each invalid credential; 404 on platform routes', async () => {
    expect(bad.size).toBe(23)
    for (const route of routes)
      for (const [name, headers] of bad) {
        // A SCIM token is valid on SCIM routes.
        if (route.access === 'scim' && name === 'a SCIM token') continue
        expect(await statusOf(route, headers), `${route.method} ${route.url}, ${name}`).toBe(
          refusal(route),
        )
      }
  })

  test('401: SCIM accepts only SCIM tokens, and no expired or revoked one', async () => {
    const scim = routes.filter(({ access }) => access === 'scim')
    expect(scim.length).toBeGreaterThan(12)
    const sessionAndToken = [
      cookieOf(good.cookie, harness.config.baseUrl),
      bearerOf(await good.token('Owner')),
      ...spoiltScim,
    ]
    for (const route of scim)
      for (const headers of sessionAndToken)
        expect(await statusOf(route, headers), `${route.method} ${route.url}`).toBe(refusal(route))
  })

  test('401: an agent’s token is refused on every route but an agent’s, and a join’s on all but enroll', async () => {
    const ofAgent = routes.filter(({ access }) => access === 'agent' || access === 'join')
    expect(ofAgent).toHaveLength(6)
    for (const [kind, headers] of ofAgents)
      for (const route of routes.filter(({ access }) => access !== kind))
        expect(await statusOf(route, headers), `${kind}: ${route.method} ${route.url}`).toBe(
          refusal(route),
        )
    for (const headers of spoiltAgents)
      for (const route of ofAgent)
        expect(await statusOf(route, headers), route.url).toBe(refusal(route))
    for (const route of ofAgent) {
      const answer = await callRoute(harness.app, route, {
        headers: ofAgents.get(route.access) ?? {},
        body: '{"broken',
      })
      expect([400, 404], `${route.url} ${answer.body}`).toContain(answer.statusCode)
    }
  })

  test('401: a run’s token is refused on every route but those of the state', async () => {
    for (const route of routes.filter(({ access }) => access !== 'state'))
      expect(await statusOf(route, runToken), `${route.method} ${route.url}`).toBe(refusal(route))
  })

  test('200: valid credentials are accepted', async () => {
    expect((await good.get('/api/auth/me')).statusCode).toBe(200)
    const headers = bearerOf(await good.token('Owner'))
    expect((await harness.app.inject({ url: '/api/auth/me', headers })).statusCode).toBe(200)
  })
})
