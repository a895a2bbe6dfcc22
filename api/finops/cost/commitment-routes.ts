import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  commitmentOrders,
  commitmentsOf,
  type Commitments,
  type CommitmentSums,
} from '../../../store/finops/cost/commitments.ts'
import { repeatedFilters } from '../../http/repeated-filters.ts'
import { errors, Nullable, OneOf } from '../../http/schemas.ts'
import { readOf, readQuery, readStand } from './read-cost.ts'
import { filterFields, frameFields, windowFields } from './schemas.ts'

const Share = Nullable(
  Type.Number({ description: 'Of 1; null where the commitment cost nothing.' }),
)
const sumFields = {
  amortised: Type.Number(),
  used: Type.Number(),
  unused: Type.Number(),
  utilization: Share,
  savings: Nullable(
    Type.Number({
      description:
        'What was used at its price without the commitment (ContractedCost, else ListCost), less amortised. Below 0 where the commitment cost more than it saved. Null where the bill has no price of a part of what was used; in the total, of those whose savings are known.',
    }),
  ),
}
const { currency, from, to, unconverted } = frameFields
const CommitmentsBody = Type.Object({
  currency,
  from,
  to,
  commitments: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Nullable(Type.String()),
      provider: Type.String(),
      type: Nullable(Type.String()),
      category: Nullable(Type.String()),
      ...sumFields,
    }),
  ),
  total: Type.Object(
    {
      ...sumFields,
      commitments: Type.Integer(),
      withoutSavings: Type.Integer({ description: 'Commitments whose savings are not known.' }),
    },
    { description: 'Of all commitments of the window that are asked for.' },
  ),
  providers: Type.Array(Type.String(), {
    description: 'Of all commitments of the window, whichever are asked for.',
  }),
  unconverted,
})

const maxCommitments = 1_000

/** Reservations, savings plans and committed use. */
export const commitmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { store } = app.deps

  app.get(
    '/finops/commitments',
    {
      config: { access: 'read', denialEvent: 'cloud.rbac_denied' },
      preValidation: repeatedFilters,
      schema: {
        operationId: 'listCommitments',
        description:
          'What commitments cost (amortised) and how much of it was used, the 1,000 with the most of `sort`. The window is that of the payload; amounts are in the organization’s currency, at the rate of the bill’s month.',
        querystring: Type.Object(
          {
            ...windowFields,
            provider: filterFields.provider,
            sort: Type.Optional(
              OneOf(commitmentOrders, { description: 'amortised without it; greatest first.' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: CommitmentsBody, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query: { sort = 'amortised', ...asked } }) => {
      const query = readQuery(asked)
      const stand = await readStand(store, organizationId, query)
      const found = await store.tenant(organizationId, async (tenant) =>
        commitmentsOf(tenant, readOf(organizationId, stand, query), {
          sort,
          limit: maxCommitments,
        }),
      )
      return {
        currency: stand.currency,
        from: query.from,
        to: query.to,
        commitments: found.commitments.map((one) => ({ ...one, ...presentSums(one) })),
        total: presentTotal(found.total),
        providers: found.providers,
        unconverted: found.unconverted.map((one) => ({ ...one, amount: Number(one.amount) })),
      }
    },
  )
}

function presentTotal({ commitments, withoutSavings, ...sums }: Commitments['total']) {
  const total = { ...presentSums(sums), commitments, withoutSavings }
  return commitments === 0 ? { ...total, savings: 0 } : total
}

function presentSums({ amortised, used, unused, savings }: CommitmentSums) {
  const sums = {
    amortised: Number(amortised),
    used: Number(used),
    unused: Number(unused),
    savings: savings === null ? null : Number(savings),
  }
  return { ...sums, utilization: sums.amortised === 0 ? null : sums.used / sums.amortised }
}
