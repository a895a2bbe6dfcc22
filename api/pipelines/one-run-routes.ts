import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../store/connect.ts'
import { Body, errors } from '../http/schemas.ts'
import { cancelRun } from './cancel-run.ts'
import { presentRuns, type RunPlace } from './present-runs.ts'
import { runDetail } from './run-detail.ts'
import { LogPage, RunBody, RunDetail, RunParams } from './schemas.ts'
import { LogQuery, sendLogs } from './send-logs.ts'

export type RunScope = {
  /** `Pipeline` or `Workspace`: what the run is looked at from. */
  noun: 'Pipeline' | 'Workspace'
  /** The run's place there; throws not-found where it is not the organization's. */
  place: (
    db: Db,
    organizationId: number,
    params: { id: number; runId: number },
  ) => Promise<RunPlace>
}

/** One run, its logs and its cancel: the same under its pipeline and under its workspace (decisions §4, §5). */
export const oneRunRoutes: FastifyPluginAsyncTypebox<RunScope> = async (app, { noun, place }) => {
  const { deps } = app
  const path = `/${noun.toLowerCase()}s/:id/runs/:runId`
  const find = async (organizationId: number, params: { id: number; runId: number }) =>
    deps.store.tenant(organizationId, async (db) => place(db, organizationId, params))

  app.get(
    path,
    {
      config: { access: 'read' },
      schema: {
        operationId: `get${noun}Run`,
        params: RunParams,
        response: { 200: Type.Object({ run: RunDetail }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params }) => ({
      run: await runDetail(deps, organizationId, await find(organizationId, params)),
    }),
  )

  app.get(
    `${path}/logs`,
    {
      config: { access: 'read' },
      schema: {
        operationId: `get${noun}RunLogs`,
        params: RunParams,
        querystring: LogQuery,
        response: { 200: LogPage, ...errors() },
      },
    },
    async (request, reply) => {
      const { workspaceRunId: runId } = await find(request.caller.organizationId, request.params)
      return sendLogs(deps, { request, reply, runId, query: request.query })
    },
  )

  app.post(
    `${path}/cancel`,
    {
      config: {
        access: 'mutate_infra',
        target: async (db, organizationId, { id = 0, runId = 0 }) =>
          place(db, organizationId, { id, runId }),
      },
      schema: {
        operationId: `cancel${noun}Run`,
        params: RunParams,
        body: Body({}),
        response: { 200: Type.Object({ ok: Type.Literal(true), run: RunBody }), ...errors(409) },
      },
    },
    async ({ caller, params }) => {
      const { organizationId } = caller
      const run = await deps.store.tenant(organizationId, async (db) => {
        const found = await place(db, organizationId, params)
        await cancelRun(db, caller, found.workspaceRunId)
        const runIds = [found.workspaceRunId]
        return (await presentRuns(db, organizationId, { runIds, places: [found] }))[0]
      })
      if (!run) throw new Error('a run that was just canceled is gone')
      return { ok: true as const, run }
    },
  )
}
