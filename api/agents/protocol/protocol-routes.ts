import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  maxCallBodyBytes,
  maxLogBodyBytes,
  maxResultBodyBytes,
} from '../../../domain/agents/agent-limits.ts'
import { currentProtocol, offerProtocol } from '../../../domain/agents/agent-protocol.ts'
import { deploymentTarget } from './deployment-target.ts'
import { publishedSigningKeys } from '../../../app/signing/published-keys.ts'
import type { Deps } from '../../deps.ts'
import { errors, IdParams, Ok } from '../../http/schemas.ts'
import { noteSeen } from './agents-seen.ts'
import { artifactRoute } from './artifact-route.ts'
import { claimGates } from './claim-gates.ts'
import { openClaimWaits } from './claim-waits.ts'
import { claimWork } from './claim-work.ts'
import { enrollAgent } from './enroll-agent.ts'
import { createTextMasker } from '../../../gateways/masking/mask-texts.ts'
import { hostMasks } from './host-masks.ts'
import { presentClaim } from './present-claim.ts'
import { assertNotSuspended, assertProtocol, refuseOld } from './protocol-headers.ts'
import { runningRelease } from './running-release.ts'
import {
  ClaimAnswer,
  ClaimBody,
  EnrollAnswer,
  EnrollBody,
  HeartbeatAnswer,
  HeartbeatBody,
  LogsBody,
  ResultBody,
} from './schemas.ts'
import { takeHeartbeat } from './take-heartbeat.ts'
import { takeLines } from './take-lines.ts'
import { takeResult } from './take-result.ts'
import { addRoutes } from '../../http/add-routes.ts'

/** What agents speak (docs/agents.md). They only ever call; nothing calls them. */
export const agentProtocolRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRequest', async (request, reply) => assertProtocol(app.deps, request, reply))
  await addRoutes(app, callingRoutes, claimRoute, reportingRoutes, artifactRoute)
}

const keysOf = async (deps: Pick<Deps, 'store' | 'keyring'>, organizationId: number) =>
  deps.store.tenant(organizationId, async (tenant) => publishedSigningKeys(deps, tenant))

const callingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  app.addHook('onRequest', async (request) => assertNotSuspended(request))

  app.post(
    '/agent/enroll',
    {
      config: { access: 'join' },
      bodyLimit: maxCallBodyBytes,
      schema: {
        operationId: 'enrollAgent',
        body: EnrollBody,
        response: { 201: EnrollAnswer, ...errors(409, 426) },
      },
    },
    async ({ agentCaller, body: { name } }, reply) => {
      const { id, token } = await enrollAgent(deps, agentCaller, name)
      const { organizationId, organizationSlug } = agentCaller
      const keys = await keysOf(deps, organizationId)
      return reply
        .status(201)
        .send({ ok: true, agent: { id, name }, token, organization: organizationSlug, keys })
    },
  )

  app.post(
    '/agent/heartbeat',
    {
      config: { access: 'agent' },
      bodyLimit: maxCallBodyBytes,
      schema: {
        operationId: 'beatAgent',
        description:
          'Every 10 s while the agent works. With deploymentId and fence it makes the lease last again; leaseUntil is null and stop is true once the lease is over.',
        body: HeartbeatBody,
        response: { 200: HeartbeatAnswer, ...errors(426) },
      },
    },
    async ({ agentCaller, body }, reply) => {
      if (offerProtocol(body.protocols) === undefined)
        throw await refuseOld(deps, agentCaller, reply)
      const { leaseUntil, stop, paused } = await takeHeartbeat(deps, agentCaller, body)
      const { organizationId, organizationSlug } = agentCaller
      return {
        ok: true as const,
        protocol: offerProtocol(body.protocols) ?? currentProtocol,
        organization: organizationSlug,
        leaseUntil: leaseUntil?.toISOString() ?? null,
        stop,
        paused,
        keys: await keysOf(deps, organizationId),
      }
    },
  )
}

const claimRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const waitFor = openClaimWaits(app, deps)
  const seen = noteSeen(app, deps)
  const gateOf = claimGates()
  app.addHook('onRequest', async (request) => assertNotSuspended(request))

  app.post(
    '/agent/claim',
    {
      config: { access: 'agent' },
      bodyLimit: maxCallBodyBytes,
      schema: {
        operationId: 'claimDeployment',
        description:
          'Waits for something to do, at most waitSeconds. An agent has one open claim: a newer one ends it with 204.',
        body: ClaimBody,
        response: { 200: ClaimAnswer, 204: Type.Null(), ...errors(426) },
      },
    },
    async (request, reply) => {
      const { agentCaller, body } = request
      // It may wait for half a minute. Another limit holds for what it asks of the store.
      app.leaveRequestsInFlight(request)
      const untilMs = Date.now() + (body.waitSeconds ?? 0) * 1_000
      const wait = waitFor(agentCaller.agentId)
      reply.raw.once('close', () => wait.end())
      seen.note(agentCaller.agentId, runningRelease(body.release))
      try {
        const held = body.held ?? undefined
        const gate = gateOf(agentCaller.organizationId)
        const claimed = await claimWork(deps, agentCaller, { wait, untilMs, held, gate })
        if (!claimed) return await reply.status(204).send(null)
        seen.dropRelease(agentCaller.agentId)
        const keys = await gate(async () => keysOf(deps, agentCaller.organizationId))
        return await reply.send({ deployment: presentClaim(claimed), keys })
      } finally {
        wait.close()
        seen.note(agentCaller.agentId)
      }
    },
  )
}

const reportingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const masker = createTextMasker()
  app.addHook('onClose', async () => masker.close())
  const masks = hostMasks(deps, masker)
  const config = { access: 'agent', target: deploymentTarget } as const

  app.post(
    '/agent/deployments/:id/logs',
    {
      config,
      bodyLimit: maxLogBodyBytes,
      schema: {
        operationId: 'sendAgentLogs',
        description:
          '`batch` counts from 1 through the whole deployment; one that was taken already is taken again without effect.',
        params: IdParams,
        body: LogsBody,
        response: { 200: Ok, ...errors(409, 413, 426) },
      },
    },
    async ({ agentCaller, params: { id }, body }) => {
      await takeLines({ store: deps.store, masks }, agentCaller, { id, ...body })
      return { ok: true as const }
    },
  )

  app.post(
    '/agent/deployments/:id/result',
    {
      config,
      bodyLimit: maxResultBodyBytes,
      schema: {
        operationId: 'sendAgentResult',
        params: IdParams,
        body: ResultBody,
        response: { 200: Ok, ...errors(409, 413, 426) },
      },
    },
    async ({ agentCaller, params: { id }, body }) => {
      await takeResult({ store: deps.store, masks }, agentCaller, { id, ...body })
      return { ok: true as const }
    },
  )
}
