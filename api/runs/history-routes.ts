import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { runHistory, type HistoryDay } from '../../store/runs/run-history.ts'
import { errors, Id, Nullable } from '../http/schemas.ts'

const Seconds = Nullable(Type.Number())

const HistoryBody = Type.Object({
  days: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date' }),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      canceled: Type.Integer(),
      stopped: Type.Integer(),
      leadSeconds: Seconds,
      waitSeconds: Seconds,
      changes: Type.Integer(),
    }),
    {
      description:
        'Each UTC day of the window, the oldest first, today included. `stopped`: those that were denied, rejected, expired or out of date before their apply. `leadSeconds`: the median from the start to the end of a run that applied. `waitSeconds`: the median until a run was taken up. `changes`: resources that applies added, changed or destroyed.',
    },
  ),
})

const dayMs = 86_400_000

/** GET /api/runs/history: how the runs of all workspaces, or of one, went day by day. */
export const runHistoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/runs/history',
    {
      config: { access: 'read', compressed: true },
      schema: {
        operationId: 'getRunHistory',
        querystring: Type.Object(
          {
            days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: 30 })),
            workspaceId: Type.Optional(Id),
          },
          { additionalProperties: false },
        ),
        response: { 200: HistoryBody, ...errors() },
      },
    },
    async ({ caller: { organizationId }, query: { days = 30, workspaceId } }) => {
      const { store } = app.deps
      if (workspaceId !== undefined)
        await store.tenant(organizationId, async (tenant) => workspaces(tenant).get(workspaceId))
      const today = Math.floor(Date.now() / dayMs) * dayMs
      const from = new Date(today - (days - 1) * dayMs)
      const found = await runHistory(store, organizationId, { from, workspaceId })
      return { days: wholeWindow(from, days, found) }
    },
  )
}

/** With the days on which no run ended. One that ended in the first moments of tomorrow waits until then. */
function wholeWindow(from: Date, days: number, found: readonly HistoryDay[]): HistoryDay[] {
  const byDay = new Map(found.map((day) => [day.day, day]))
  return Array.from({ length: days }, (_, at) => {
    const day = new Date(from.getTime() + at * dayMs).toISOString().slice(0, 10)
    return byDay.get(day) ?? { ...noRuns, day }
  })
}

const noRuns = {
  succeeded: 0,
  failed: 0,
  canceled: 0,
  stopped: 0,
  leadSeconds: null,
  waitSeconds: null,
  changes: 0,
}
