import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { users } from '../../store/users/users.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { errors, IdParams, NextCursor, Ok } from '../http/schemas.ts'
import { changeUser } from './change-user.ts'
import { deleteUser } from './delete-user.ts'
import { inviteAgain } from './invite-again.ts'
import { inviteUser } from './invite-user.ts'
import { showInvitation } from './show-invitation.ts'
import { removeFactorOfUser } from './remove-factor-of-user.ts'
import {
  InvitedAnswer,
  NewUserBody,
  presentUser,
  UserAnswer,
  UserBody,
  UserChangeBody,
  UserQuery,
} from './schemas.ts'

const target = async (tenant: Tenant, params: Record<string, number>) =>
  users(tenant).get(params['id'] ?? 0)

/** /api/org/users: the people of the organization. */
export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const isMailed = () => app.deps.config.smtpUrl !== undefined
  app.get(
    '/org/users',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listUsers',
        querystring: UserQuery,
        response: {
          200: Type.Object({ users: Type.Array(UserBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query: { limit = 50, cursor, ...filter } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await app.deps.store.tenant(caller.organizationId, async (tenant) =>
        users(tenant).list({ limit: limit + 1, after, ...filter }),
      )
      const { rows, nextCursor } = page(found, limit)
      return { users: rows.map(presentUser), nextCursor }
    },
  )

  app.get(
    '/org/users/:id',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getUser',
        params: IdParams,
        response: { 200: Type.Object({ user: UserBody }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id } }) => {
      const user = await app.deps.store.tenant(organizationId, async (tenant) =>
        users(tenant).get(id),
      )
      return { user: presentUser(user) }
    },
  )

  app.post(
    '/org/users',
    {
      config: { access: 'manage_users_sso' },
      schema: {
        operationId: 'inviteUser',
        body: NewUserBody,
        response: { 201: InvitedAnswer, ...errors(409) },
      },
    },
    async ({ caller, body }, reply) => {
      const user = await inviteUser(app.deps, caller, body)
      return reply.status(201).send({ ok: true, user: presentUser(user), mailed: isMailed() })
    },
  )

  app.post(
    '/org/users/:id/invitation',
    {
      config: { access: 'manage_users_sso', target },
      schema: {
        operationId: 'inviteUserAgain',
        description:
          'Mails a new link to somebody who has not come in yet. The links before it open nothing any more.',
        params: IdParams,
        response: { 200: InvitedAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id } }) => {
      const user = await inviteAgain(app.deps, caller, id)
      return { ok: true as const, user: presentUser(user), mailed: isMailed() }
    },
  )

  app.post(
    '/org/users/:id/invitation-link',
    {
      config: { access: 'manage_users_sso', sessionOnly: true, target },
      schema: {
        operationId: 'showInvitation',
        description:
          'A new token for somebody who has not come in yet, to be handed over by the caller. Only where the service sends no mail, and once: the tokens before it open nothing any more.',
        params: IdParams,
        response: {
          200: Type.Object({ ok: Type.Literal(true), invitationToken: Type.String() }),
          ...errors(409),
        },
      },
    },
    async ({ caller, params: { id } }) => ({
      ok: true as const,
      invitationToken: await showInvitation(app.deps, caller, id),
    }),
  )

  app.delete(
    '/org/users/:id/mfa',
    {
      config: { access: 'manage_users_sso', sessionOnly: true, target },
      schema: {
        operationId: 'removeUserSecondFactor',
        description:
          'For somebody who is locked out. Never of a person above your own role, nor your own. Ends their sessions, and they are told by mail.',
        params: IdParams,
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id } }) => {
      await removeFactorOfUser(app.deps, caller, id)
      return { ok: true as const }
    },
  )

  app.patch(
    '/org/users/:id',
    {
      config: { access: 'manage_users_sso', target },
      schema: {
        operationId: 'updateUser',
        params: IdParams,
        body: UserChangeBody,
        response: { 200: UserAnswer, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body }) => {
      const user = await changeUser(app.deps, caller, { id, change: body })
      return { ok: true as const, user: presentUser(user) }
    },
  )

  app.delete(
    '/org/users/:id',
    {
      config: { access: 'manage_users_sso', target },
      schema: {
        operationId: 'deleteUser',
        params: IdParams,
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id } }) => {
      await deleteUser(app.deps, caller, id)
      return { ok: true as const }
    },
  )
}
