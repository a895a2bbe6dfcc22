import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { entityTagOf } from '../../domain/workspaces/version-precondition.ts'
import { policies } from '../../store/policies/policies.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, Ok, Page } from '../http/schemas.ts'
import { createPolicy } from './create-policy.ts'
import { deletePolicy } from './delete-policy.ts'
import { presentPolicy } from './present-policy.ts'
import {
  ChangeHeaders,
  NewPolicyBody,
  PolicyAnswer,
  PolicyBody,
  PolicyChangeBody,
} from './schemas.ts'
import { updatePolicy } from './update-policy.ts'

const target = async (tenant: Tenant, { id = 0 }: Record<string, number>) =>
  policies(tenant).get(id)

/** The policies that judge plans. Members read them, `manage_users_sso` writes them. */
export const policyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/policies',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listPolicies',
        querystring: Page,
        response: {
          200: Type.Object({ policies: Type.Array(PolicyBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller: { organizationId }, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await deps.store.tenant(organizationId, async (tenant) =>
        policies(tenant).list(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { policies: rows.map(presentPolicy), nextCursor }
    },
  )

  app.post(
    '/policies',
    {
      config: { access: 'manage_users_sso' },
      schema: {
        operationId: 'createPolicy',
        description:
          'Rego in package cloudcontrol with the sets of messages deny and warn. A policy that does not compile is refused with code policy_invalid and the place of each fault.',
        body: NewPolicyBody,
        response: { 201: PolicyAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const policy = await createPolicy(deps, caller, body)
      return reply.status(201).send({ ok: true, policy: presentPolicy(policy) })
    },
  )

  app.get(
    '/policies/:id',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'getPolicy',
        description: 'Its `ETag` is for `If-Match` of a change.',
        params: IdParams,
        response: { 200: Type.Object({ policy: PolicyBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }, reply) => {
      const policy = await deps.store.tenant(organizationId, async (tenant) =>
        policies(tenant).get(id),
      )
      void reply.header('etag', entityTagOf(policy.version))
      return { policy: presentPolicy(policy) }
    },
  )

  app.patch(
    '/policies/:id',
    {
      config: { access: 'manage_users_sso', target },
      schema: {
        operationId: 'updatePolicy',
        description:
          'The tag of a version is its number in quotes. With `If-Match: "3"` a change of another version than 3 is refused (412 `policy_overtaken`). A change to what is stored already makes no new version and is never refused for its version.',
        params: IdParams,
        headers: ChangeHeaders,
        body: PolicyChangeBody,
        response: { 200: PolicyAnswer, ...errors(409, 412) },
      },
    },
    async ({ caller, params: { id }, body, headers }, reply) => {
      const policy = await updatePolicy(deps, caller, {
        id,
        change: body,
        precondition: { ifMatch: headers['if-match'] },
      })
      void reply.header('etag', entityTagOf(policy.version))
      return { ok: true as const, policy: presentPolicy(policy) }
    },
  )

  app.delete(
    '/policies/:id',
    {
      config: { access: 'manage_users_sso', target },
      schema: {
        operationId: 'deletePolicy',
        params: IdParams,
        response: { 200: Ok, ...errors() },
      },
    },
    async ({ caller, params: { id } }) => {
      await deletePolicy(deps, caller, id)
      return { ok: true as const }
    },
  )
}
