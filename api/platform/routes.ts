import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { organizations, type Organization } from '../../store/platform/organizations.ts'
import { decodeCursor, page } from '../http/paging.ts'
import { OneLine } from '../http/one-line.ts'
import { Body, errors, Id, IdParams, NextCursor, OneOf, Page, Time, Ok } from '../http/schemas.ts'
import { createOrganization } from './create-organization.ts'
import { removeFactorOfOwner } from './remove-factor-of-owner.ts'
import { setOrganizationStatus } from './set-organization-status.ts'
import { Name } from '../http/pattern.ts'

const OrganizationBody = Type.Object({
  id: Id,
  slug: Type.String(),
  name: Type.String(),
  status: OneOf(['active', 'suspended']),
  createdAt: Time,
})

const present = ({ createdAt, ...rest }: Organization) => ({
  ...rest,
  createdAt: createdAt.toISOString(),
})

/** Platform administration. To everybody else these routes do not exist (404). */
export const platformRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/admin/organizations',
    {
      config: { access: 'platform' },
      schema: {
        operationId: 'listOrganizations',
        querystring: Page,
        response: {
          200: Type.Object({
            organizations: Type.Array(OrganizationBody),
            nextCursor: NextCursor,
          }),
          ...errors(),
        },
      },
    },
    async ({ query: { limit = 50, cursor } }) => {
      const all = organizations(app.deps.store.platform)
      const { rows, nextCursor } = page(await all.list(limit + 1, decodeCursor(cursor, 0)), limit)
      return { organizations: rows.map(present), nextCursor }
    },
  )

  app.post(
    '/admin/organizations',
    {
      config: { access: 'platform' },
      schema: {
        operationId: 'createOrganization',
        body: Body({
          name: OneLine(200),
          slug: Name,
          owner: Body({
            email: Type.String({ format: 'email', maxLength: 254 }),
            name: OneLine(200),
          }),
        }),
        response: {
          201: Type.Object({
            ok: Type.Literal(true),
            organization: OrganizationBody,
            invitationToken: Type.String(),
          }),
          ...errors(409),
        },
      },
    },
    async ({ caller, body }, reply) => {
      const { organization, invitationToken } = await createOrganization(app.deps, caller, body)
      return reply
        .status(201)
        .send({ ok: true, organization: present(organization), invitationToken })
    },
  )

  app.delete(
    '/admin/organizations/:id/owner-mfa',
    {
      config: { access: 'platform' },
      schema: {
        operationId: 'removeOwnerSecondFactor',
        description:
          'For an Owner, or a platform administrator, who is locked out. Ends their sessions, and they are told by mail. 404 for everybody else of the organization.',
        params: IdParams,
        body: Body({ email: Type.String({ format: 'email', maxLength: 254 }) }),
        response: { 200: Ok, ...errors(409) },
      },
    },
    async ({ caller, params: { id }, body: { email } }) => {
      await removeFactorOfOwner(app.deps, caller, { id, email })
      return { ok: true as const }
    },
  )

  for (const [action, status] of [
    ['suspend', 'suspended'],
    ['resume', 'active'],
  ] as const)
    app.post(
      `/admin/organizations/:id/${action}`,
      {
        config: { access: 'platform' },
        schema: {
          operationId: `${action}Organization`,
          params: IdParams,
          response: {
            200: Type.Object({ ok: Type.Literal(true), organization: OrganizationBody }),
            ...errors(409),
          },
        },
      },
      async ({ caller, params: { id } }) => {
        const changed = await setOrganizationStatus(app.deps, caller, { id, status })
        return { ok: true as const, organization: present(changed) }
      },
    )
}
