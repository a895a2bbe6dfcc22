import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { roles } from '../../domain/access/roles.ts'
import { users, type User } from '../../store/users/users.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { Body, errors, Id, NextCursor, Nullable, OneOf, Page, Text, Time } from '../http/schemas.ts'
import { inviteUser } from './invite-user.ts'

const UserBody = Type.Object({
  id: Id,
  email: Nullable(Type.String()),
  name: Type.String(),
  role: OneOf(roles),
  active: Type.Boolean(),
  createdAt: Time,
})

const present = (user: User) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  active: user.active,
  createdAt: user.createdAt.toISOString(),
})

/** §4.7 /api/org/users: who is here, and inviting somebody. */
export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/org/users',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listUsers',
        querystring: Page,
        response: {
          200: Type.Object({ users: Type.Array(UserBody), nextCursor: NextCursor }),
          ...errors(),
        },
      },
    },
    async ({ caller, query: { limit = 50, cursor } }) => {
      const after = decodeCursor(cursor, 0)
      const found = await app.deps.store.tenant(caller.organizationId, async (db) =>
        users(db, caller.organizationId).list(limit + 1, after),
      )
      const { rows, nextCursor } = page(found, limit)
      return { users: rows.map(present), nextCursor }
    },
  )

  app.post(
    '/org/users',
    {
      config: { access: 'manage_users_sso' },
      schema: {
        operationId: 'inviteUser',
        body: Body({
          email: Type.String({ format: 'email', maxLength: 254 }),
          name: Text(200, 1),
          role: OneOf(roles),
        }),
        response: {
          201: Type.Object({ ok: Type.Literal(true), user: UserBody }),
          ...errors(409),
        },
      },
    },
    async ({ caller, body }, reply) => {
      const user = await inviteUser(app.deps, caller, body)
      return reply.status(201).send({ ok: true, user: present(user) })
    },
  )
}
