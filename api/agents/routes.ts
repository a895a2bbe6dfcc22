import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { readLabel } from '../../domain/agents/agent-labels.ts'
import { agents } from '../../store/agents/agents.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { repeatedFilters } from '../http/repeated-filters.ts'
import { errors, IdParams, Ok } from '../http/schemas.ts'
import { createAgent } from './create-agent.ts'
import { deleteAgent } from './delete-agent.ts'
import { presentAgent } from './present-agent.ts'
import { rotateToken } from './rotate-token.ts'
import {
  AgentAnswer,
  AgentBody,
  AgentChangeBody,
  AgentList,
  AgentQuery,
  NewAgentAnswer,
  NewAgentBody,
} from './schemas.ts'
import { updateAgent } from './update-agent.ts'
import { addRoutes } from '../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) => agents(tenant).get(id)
const manage = { access: 'manage_cloud_accounts' } as const

/** The agents of workspaces. Members read them; who manages cloud accounts makes and changes them. */
export const agentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, agentReadRoutes, agentTokenRoutes, agentChangeRoutes)
}

const agentReadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/agents',
    {
      config: { access: 'read' },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listAgents',
        querystring: AgentQuery,
        response: { 200: AgentList, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query }) => {
      const { limit = 50, cursor, workspaceId, state, label = [] } = query
      const labels = Object.assign({}, ...label.map((one) => readLabel(one) ?? { [one]: '' }))
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        agents(tenant).list(
          { workspaceId, state, labels },
          { limit: limit + 1, before: decodeCursor(cursor, maxKey) },
        ),
      )
      const { rows, nextCursor } = page(found, limit)
      return { agents: rows.map(presentAgent), nextCursor }
    },
  )

  app.get(
    '/agents/:id',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getAgent',
        params: IdParams,
        response: { 200: Type.Object({ agent: AgentBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => {
      const agent = await deps.store.tenant(organizationId, async (tenant) =>
        agents(tenant).get(id),
      )
      return { agent: presentAgent(agent) }
    },
  )
}

const agentTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/agents',
    {
      config: { ...manage, sessionOnly: true },
      schema: {
        operationId: 'createAgent',
        description:
          'The token is shown once. With `join` it only enrolls hosts, at most maxAgents of them.',
        body: NewAgentBody,
        response: { 201: NewAgentAnswer, ...errors(409) },
      },
    },
    async (request, reply) => {
      const { caller, body } = request
      const made = await createAgent(
        deps,
        { caller, origin: publicOrigin(request), file: app.agentFile },
        body,
      )
      return reply.status(201).send({ ok: true, ...made, agent: presentAgent(made.agent) })
    },
  )

  app.post(
    '/agents/:id/token',
    {
      config: { ...manage, sessionOnly: true, target },
      schema: {
        operationId: 'rotateAgentToken',
        description: 'The token before it works for another hour.',
        params: IdParams,
        response: { 201: NewAgentAnswer, ...errors() },
      },
    },
    async (request, reply) => {
      const { caller, params } = request
      const made = await rotateToken(
        deps,
        { caller, origin: publicOrigin(request), file: app.agentFile },
        params.id,
      )
      return reply.status(201).send({ ok: true, ...made, agent: presentAgent(made.agent) })
    },
  )
}

const agentChangeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.patch(
    '/agents/:id',
    {
      config: { ...manage, target },
      schema: {
        operationId: 'updateAgent',
        params: IdParams,
        body: AgentChangeBody,
        response: { 200: AgentAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const agent = await updateAgent(deps, caller, { id, change: body })
      return { ok: true as const, agent: presentAgent(agent) }
    },
  )

  app.delete(
    '/agents/:id',
    {
      config: { ...manage, target },
      schema: {
        operationId: 'deleteAgent',
        params: IdParams,
        querystring: Type.Object(
          { force: Type.Optional(Type.Boolean({ default: false })) },
          { additionalProperties: false },
        ),
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, query: { force = false } }) => {
      await deleteAgent(deps, caller, { id, force })
      return { ok: true as const }
    },
  )
}
