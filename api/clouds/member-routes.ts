import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { memberStates } from '../../domain/clouds/organization-member.ts'
import { AppError } from '../../domain/errors.ts'
import { Cursor } from '../http/pattern.ts'
import { OneLine } from '../http/one-line.ts'
import { createPlaces } from '../http/places.ts'
import {
  Body,
  errors,
  Id,
  IdParams,
  NextCursor,
  NoQuery,
  Nullable,
  OneOf,
  Page,
  Text,
} from '../http/schemas.ts'
import { IdempotencyHeaders, idempotencyKey } from '../runs/idempotency-key.ts'
import { accountTarget, manageAccounts } from './account-target.ts'
import { connectMembers } from './connect-members.ts'
import { listMembers } from './list-members.ts'

const MemberBody = Type.Object({
  accountId: Type.String(),
  name: Type.String(),
  state: OneOf(memberStates),
  /** The account as which it is connected. */
  existingId: Nullable(Id),
})

const MembersPage = Type.Object(
  {
    limit: Page.properties.limit,
    // A page token of AWS, which has no form.
    cursor: Type.Optional(Cursor('^[\\x21-\\x7e]{1,8000}$', { maxLength: 8_000 })),
  },
  { additionalProperties: false },
)

const NewMembersBody = Body({
  roleName: Text(512, 1),
  members: Type.Array(
    Body({ accountId: Type.String({ pattern: '^[0-9]{12}$' }), name: OneLine(100) }),
    { minItems: 1, maxItems: 50 },
  ),
})

const Results = Type.Array(
  Type.Object({
    accountId: Type.String(),
    ok: Type.Boolean(),
    id: Id,
    code: Nullable(Type.String()),
  }),
)

/** Of one organization in one process: each takes up to 10 s and some 20 requests to AWS. */
const listsAtOnce = 4
const places = createPlaces({ ofOrganization: listsAtOnce })

function takePlace(reply: FastifyReply, organizationId: number): void {
  if (places.take(reply, organizationId)) return
  throw new AppError(
    'rate_limited',
    `Your organization is listing members of ${listsAtOnce} accounts, and no more are listed at once. Try again in a moment.`,
    { code: 'too_many_lists', retryAfterSeconds: 10 },
  )
}

/** The accounts of an AWS organization: found by one of them, and connected by a role of one name. */
export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/cloud/accounts/:id/members',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'listCloudAccountMembers',
        description:
          'Asks AWS now for the accounts of the organization, in its order. Only the management account and delegated administrators are answered, with the right organizations:ListAccounts. 409 not_in_organization where there is none, and for other clouds.',
        params: IdParams,
        querystring: MembersPage,
        response: {
          200: Type.Object({
            members: Type.Array(MemberBody),
            nextCursor: NextCursor,
            /** Of CloudFormation, for a StackSet that makes the role in each member. */
            template: Type.String(),
          }),
          ...errors(409),
        },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query }, reply) => {
      takePlace(reply, organizationId)
      return listMembers(deps, organizationId, { id, ...query })
    },
  )

  app.post(
    '/cloud/accounts/:id/members',
    {
      config: { ...manageAccounts, target: accountTarget },
      schema: {
        operationId: 'connectCloudAccountMembers',
        description:
          'Connects each member by its role of this name, with the regions, endpoints and intervals of the account that found it. What is already connected stays as it is, and is told apart.',
        headers: IdempotencyHeaders,
        params: IdParams,
        querystring: NoQuery,
        body: NewMembersBody,
        response: {
          200: Type.Object({ ok: Type.Literal(true), results: Results }),
          ...errors(409),
        },
      },
    },
    async ({ caller, params: { id }, body, headers }) => {
      const sent = { id, ...body, idempotencyKey: idempotencyKey(headers) }
      return { ok: true as const, results: await connectMembers(deps, caller, sent) }
    },
  )
}
