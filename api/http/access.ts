import type { Tenant } from '../../store/driver/tenant.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { assertCredentialsUnlocked } from '../../domain/access/assert-credentials-unlocked.ts'
import { may, type Caller, type RunCaller } from '../../domain/access/caller.ts'
import type { AgentCaller } from '../../domain/agents/agent-caller.ts'
import { hashCredential, tokenKind } from '../../domain/access/credentials.ts'
import { isRole, lowerOf, type Capability, type Role } from '../../domain/access/roles.ts'
import { AppError, notFound } from '../../domain/errors.ts'
import type { ScimCaller } from '../../domain/scim/scim-caller.ts'
import { isPage } from '../console/is-page.ts'
import { deniedCaller, noteDenial } from '../../app/audit/note-denial.ts'
import { callers, type CallerRow } from '../../store/platform/callers.ts'
import type { Deps } from '../deps.ts'
import { sessionCookieOf } from './https.ts'
import { rememberRefusals } from './just-refused.ts'
import { registerRateLimits } from './rate-limit.ts'
import { admitAgent } from './admit-agent.ts'
import { bearerOf, unauthenticated } from './bearer.ts'
import { assertNotForeign, assertSameOrigin } from './same-origin.ts'

/**
 * Who may call a route. `state`: `mutate_infra`, or a run's own token for its own workspace.
 * `scim`: an identity provider's token, and nothing else. `agent`: the token of a host's agent, and nothing
 * else; `join`: one that only enrolls hosts. `platform`: platform administrators; to everybody else the route
 * does not exist.
 */
export type Access = 'public' | 'platform' | 'state' | 'scim' | 'agent' | 'join' | Capability

// oxlint-disable-next-line max-params -- the last is of use to those alone whose things are one person's, or one agent's
export type Target = (
  tenant: Tenant,
  params: Record<string, number>,
  /** The person; on an agent's routes the agent. */
  userId: number,
) => Promise<unknown>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Bearer tokens are refused, so that a stolen token cannot administer people or credentials. */
    sessionOnly?: boolean
    /**
     * Changes a credential of the caller's own account: password, second factor, API tokens, sessions.
     * Refused to a session of an identity provider unless the account has no password: an attacker who
     * controls the provider would lock the person out. Every change under `/auth/` that needs a sign-in
     * and every route of tokens must say true or false.
     */
    changesCredential?: boolean
    /** Answers with a session cookie, so a request from another site's page is refused (login CSRF). */
    opensSession?: boolean
    /** Throws not-found for an unknown id in the path, before a 400 or 409 is answered. */
    target?: Target
    /** The audit event of a missing capability, where it differs from the default. */
    denialEvent?: string
    /** The route has its own body limit and parser (the state protocol sends more than JSON). */
    rawBody?: boolean
    /** How many fields and items a body may have, where it differs from the default (domain/json/json-shape.ts). */
    maxMembers?: number
  }
  interface FastifyRequest {
    caller: Caller
    /** Set instead of `caller` for a run's token. */
    runCaller: RunCaller | undefined
    /** Set instead of `caller` on SCIM routes. */
    scimCaller: ScimCaller
    /** Set instead of `caller` on the routes of agents. */
    agentCaller: AgentCaller
  }
}

/** Resolves the credential before anything is parsed, and enforces what the route declares. */
export function registerAccess(app: FastifyInstance, deps: Deps): void {
  const limits = registerRateLimits(app, deps)
  const justRefused = rememberRefusals(app)
  app.decorateRequest('caller')
  app.decorateRequest('runCaller')
  app.decorateRequest('scimCaller')
  app.decorateRequest('scimRefusal')
  app.decorateRequest('agentCaller')

  app.addHook('onRoute', assertDeclared)

  app.addHook('onError', async (request, _reply, error) => noteReach(deps, request, error))
  app.addHook('onRequest', async (request, reply) => {
    const { access, opensSession } = request.routeOptions.config
    // Before the body is parsed: a hidden route and an unknown one must answer alike.
    if (request.is404) {
      limits.takeAddress(request, reply)
      // The console's pages are no routes; the not-found handler serves them.
      if (isPage(request)) return
      const methods = app.methodsOf(request.url.split('?', 1)[0] ?? '')
      if (methods.length === 0) throw notFound()
      // RFC 9110 15.5.6. TRACE is refused too: it could show a script the cookie that it may not read.
      void reply.header('allow', methods.join(', '))
      throw new AppError('method_not_allowed', `Use ${methods.join(' or ')} here.`)
    }
    if (!access || access === 'public') {
      limits.takeAddress(request, reply)
      if (opensSession) assertNotForeign(request, deps.config.baseUrl)
      return
    }
    justRefused.assertNot(request, reply)
    try {
      if (access === 'platform') await admitPlatform(deps, request, reply)
      else if (access === 'scim') await admitScim(deps, request, reply)
      else if (access === 'agent' || access === 'join') await admitAgent(deps, request, reply)
      else await admit(deps, request, reply, access)
    } catch (error) {
      // Failed credentials count against the address they come from.
      if (!request.caller && !request.runCaller && !request.scimCaller && !request.agentCaller)
        limits.takeAddress(request, reply)
      // In the browser a hidden page is answered as an address that does not exist, with the console's page.
      const isLimited = error instanceof AppError && error.fault === 'rate_limited'
      if (access === 'platform' && isPage(request) && !isLimited)
        return reply.status(404).callNotFound()
      throw error
    }
  })
}

/** The server does not start with a route that leaves out what it must declare. */
function assertDeclared(route: RouteOptions): void {
  if (route.method === 'HEAD' || route.method === 'OPTIONS') return
  if (!route.config?.access)
    throw new Error(`${String(route.method)} ${route.url} does not declare config.access`)
  const { access, target } = route.config
  const isTenants = access !== 'public' && access !== 'platform' && access !== 'scim'
  const { changesCredential } = route.config
  if (isTenants && changesCredential === undefined && mayHoldCredential(route))
    throw new Error(
      `${String(route.method)} ${route.url} does not declare config.changesCredential`,
    )
  // Otherwise a malformed body or query would be reported before it is known that the target exists.
  const isChecked = route.method !== 'GET' || route.schema?.querystring !== undefined
  if (isTenants && !target && isChecked && route.url.includes('/:'))
    throw new Error(`${String(route.method)} ${route.url} does not declare config.target`)
}

/**
 * Audits a refusal that a rule throws inside a transaction, after that transaction has rolled back:
 * a reach above one's own role, or for a credential by single sign-on.
 */
async function noteReach(deps: Deps, request: FastifyRequest, error: Error): Promise<void> {
  if (!(error instanceof AppError) || !reaches.has(error.code) || !request.caller) return
  await recordDenial(deps, request, { because: error.message })
}

const reaches = new Set(['role_above_own', 'password_session_required'])

/** A run's token has the limit of an API token, and a count of its own. */
function countCaller({ caller, runCaller, server }: FastifyRequest, reply: FastifyReply): void {
  const subject = runCaller ? `run:${runCaller.tokenId}` : `${caller.kind}:${caller.credentialId}`
  server.rateLimits.take(reply, 'token', subject)
}

async function admitPlatform(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // To everybody but platform administrators, tokens included, the route does not exist. A token takes
  // precedence over a cookie sent with it, here too.
  if (request.headers.authorization !== undefined) throw notFound()
  const caller = await resolveSession(deps, request).catch(() => undefined)
  if (!caller?.platformAdmin) throw notFound()
  request.caller = caller
  countCaller(request, reply)
  assertSameOrigin(request, deps.config.baseUrl)
}

/** A SCIM token alone: no session and no API token may provision people. */
async function admitScim(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const bearer = bearerOf(request, false)
  if (bearer === undefined || tokenKind(bearer) !== 'scim') throw unauthenticated()
  const rows = callers(deps.store)
  const row = await rows.byScimToken(hashCredential(bearer))
  if (!row) throw unauthenticated()
  const { stale, ...caller } = row
  if (stale) await rows.touchToken(caller.tokenId)
  request.scimCaller = { ...caller, ip: request.ip, requestId: request.id }
  request.server.rateLimits.take(reply, 'scim', String(caller.tokenId))
}

// oxlint-disable-next-line max-params -- a hook's own arguments and what the route declares
async function admit(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  access: Exclude<Access, 'public' | 'platform' | 'scim' | 'agent' | 'join'>,
): Promise<void> {
  const config = request.routeOptions.config
  const bearer = bearerOf(request, access === 'state')
  if (bearer !== undefined) {
    if (access === 'state' && tokenKind(bearer) === 'run') {
      const run = await callers(deps.store).byRunToken(hashCredential(bearer))
      if (!run) throw unauthenticated()
      request.runCaller = run
      countCaller(request, reply)
      return
    }
    request.caller = await resolveToken(deps, request, bearer)
    countCaller(request, reply)
    if (config.sessionOnly)
      throw new AppError('forbidden', 'This needs a signed-in session; API tokens are refused.', {
        code: 'session_required',
      })
  } else {
    // OpenTofu sends its password only after a 401.
    if (access === 'state' && !request.cookies[sessionCookieOf(deps.config)])
      void reply.header('www-authenticate', 'Basic realm="cloud-control", Bearer')
    request.caller = await resolveSession(deps, request)
    countCaller(request, reply)
    assertSameOrigin(request, deps.config.baseUrl)
    assertMayChangeCredential(request)
  }
  const capability = access === 'state' ? 'mutate_infra' : access
  if (may(request.caller, capability)) return
  await recordDenial(deps, request, { capability })
  throw new AppError('forbidden', `Your role (${request.caller.role}) lacks ${capability}.`, {
    code: 'forbidden',
  })
}

/** Routes that may change a credential: the server does not start if one of them declares nothing. */
const mayHoldCredential = ({ method, url }: { method: string | string[]; url: string }): boolean =>
  method !== 'GET' && /^\/api\/(auth\/|org\/tokens)/.test(url)

function assertMayChangeCredential({ caller, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.changesCredential === true) assertCredentialsUnlocked(caller)
}

async function resolveSession(deps: Deps, request: FastifyRequest): Promise<Caller> {
  const cookie = request.cookies[sessionCookieOf(deps.config)]
  if (!cookie) throw unauthenticated()
  const rows = callers(deps.store)
  const row = await rows.bySession(hashCredential(cookie))
  if (!row) throw unauthenticated()
  if (row.stale) await rows.touchSession(row.credentialId)
  return toCaller(row, 'session', request)
}

async function resolveToken(deps: Deps, request: FastifyRequest, bearer: string): Promise<Caller> {
  if (tokenKind(bearer) !== 'pat') throw unauthenticated()
  const rows = callers(deps.store)
  const row = await rows.byToken(hashCredential(bearer))
  if (!row) throw unauthenticated()
  if (row.stale) await rows.touchToken(row.credentialId)
  return toCaller(row, 'token', request)
}

function toCaller(row: CallerRow, kind: 'session' | 'token', request: FastifyRequest): Caller {
  const { ceiling, stale: _, ...person } = row
  let role: Role = isRole(person.role) ? person.role : 'Viewer'
  if (ceiling) role = lowerOf(role, ceiling)
  // A token's role is a ceiling that never reaches Owner or platform administrator.
  if (kind === 'token') role = lowerOf(role, 'Org Admin')
  return {
    ...person,
    role,
    // The provider that an Org Admin configured must not open platform administration (docs/identity.md).
    platformAdmin: kind === 'session' && person.platformAdmin && ceiling === null,
    kind,
    ip: request.ip,
    requestId: request.id,
  }
}

async function recordDenial(
  deps: Deps,
  request: FastifyRequest,
  why: { capability: Capability } | { because: string },
): Promise<void> {
  const { caller } = request
  const { url = '', config } = request.routeOptions
  const route = `${request.method} ${url}`
  const noun = url.split('/')[2] ?? 'api'
  await noteDenial(deps.store, deniedCaller(caller), {
    event: config.denialEvent ?? `${deniedNoun[noun] ?? noun}.denied`,
    attempt: route,
    detail: { ...why, role: caller.role, route },
  })
}

const deniedNoun: Record<string, string> = {
  pipelines: 'pipeline',
  workspaces: 'workspace',
  'workspace-views': 'workspace',
  policies: 'policy',
  agents: 'agent',
}
