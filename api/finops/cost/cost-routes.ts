import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { costLines } from '../../../store/finops/cost/cost-lines.ts'
import { repeatedFilters } from '../../http/repeated-filters.ts'
import { errors } from '../../http/schemas.ts'
import { hasAnswer, tagOf, wantsCsv } from './answer-by-version.ts'
import { answerOrPassing, keepAnswers, PassingAnswer } from './keep-answers.ts'
import { readOf, readPayload, readQuery, readSeries, readStand } from './read-cost.ts'
import { CostBody, CostQueryFields, SeriesBody, SeriesQueryFields } from './schemas.ts'
import { sendCsv } from './send-csv.ts'

type Answers = ReturnType<typeof keepAnswers>
const readCost = { access: 'read', denialEvent: 'cloud.rbac_denied' } as const
const mebibyte = 1_048_576
const kept = {
  maxBytes: 32 * mebibyte,
  maxBytesOfOne: 8 * mebibyte,
  maxBytesAnAnswer: 4 * mebibyte,
}
/** States of budgets are those of the current month. */
const today = () => new Date().toISOString().slice(0, 10)
const NotModified = Type.Null({ description: 'The caller’s answer still holds.' })

/** What an organization spends, out of sums of its bills by day. */
export const costRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const answers = keepAnswers(kept)
  await app.register(payloadRoute(answers))
  await app.register(seriesRoute(answers))
}

const payloadRoute =
  (answers: Answers): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { deps } = app

    app.get(
      '/finops/cost',
      {
        config: readCost,
        preValidation: repeatedFilters,
        schema: {
          operationId: 'getCost',
          description:
            'Without from and to the first of last month to today (UTC); at most 1,100 days. A repeated filter means or, several filters mean and. Amounts are in the organization’s currency, at the rate of the bill’s month. completeThrough: the day up to which all sources that still deliver are complete. The ETag changes with the cost version.',
          querystring: CostQueryFields,
          response: {
            200: {
              description: 'Amounts are not rounded. As CSV one row for each combination of a day.',
              content: {
                'application/json': { schema: CostBody },
                'text/csv': { schema: Type.Unsafe<CostBody>({ type: 'string' }) },
              },
            },
            304: NotModified,
            ...errors(),
          },
        },
      },
      async (request, reply) => {
        const { organizationId } = request.caller
        const { format, ...asked } = request.query
        const query = readQuery(asked)
        const stand = await readStand(deps.store, organizationId, query)
        const isCsv = wantsCsv(request, format)
        const tag = tagOf(organizationId, stand, query, isCsv, today())
        if (hasAnswer(request, reply, tag)) return reply.status(304).send(null)
        if (isCsv)
          return sendCsv(
            reply,
            'cost',
            await costLines(deps.store, readOf(organizationId, stand, query)),
          )
        const { answer, isPassing } = await answerOrPassing(
          answers(organizationId, tag, async () => {
            const { body, isWhole } = await deps.store.tenant(organizationId, async (tenant) =>
              readPayload(tenant, stand, query),
            )
            const text = JSON.stringify(body)
            if (!isWhole) throw new PassingAnswer(text)
            return text
          }),
        )
        if (isPassing) void reply.removeHeader('etag').header('cache-control', 'no-store')
        return reply.type('application/json; charset=utf-8').send(answer as never)
      },
    )
  }

const seriesRoute =
  (answers: Answers): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { deps } = app

    app.get(
      '/finops/cost/series',
      {
        config: readCost,
        preValidation: repeatedFilters,
        schema: {
          operationId: 'getCostSeries',
          description:
            'The window and filters of the payload, by group and day or month. The dearest groups are shown, all others are rest. Of accounts the key is the id, of uploads the name of the source. Groups that cost nothing are left out.',
          querystring: SeriesQueryFields,
          response: { 200: SeriesBody, 304: NotModified, ...errors() },
        },
      },
      async (request, reply) => {
        const { organizationId } = request.caller
        const query = readQuery(request.query)
        const stand = await readStand(deps.store, organizationId, query)
        const tag = tagOf('series', organizationId, stand, query)
        if (hasAnswer(request, reply, tag)) return reply.status(304).send(null)
        const answer = await answers(organizationId, tag, async () =>
          deps.store.tenant(organizationId, async (tenant) =>
            JSON.stringify(await readSeries(tenant, stand, query)),
          ),
        )
        return reply.type('application/json; charset=utf-8').send(answer as never)
      },
    )
  }
