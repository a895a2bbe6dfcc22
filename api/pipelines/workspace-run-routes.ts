import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../store/connect.ts'
import { pipelineRuns } from '../../store/pipelines/pipeline-runs.ts'
import { workspaceRuns } from '../../store/pipelines/workspace-runs.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { decodeCursor, maxKey, page } from '../http/paging.ts'
import { Body, errors, IdParams, Page } from '../http/schemas.ts'
import { cancelRun } from './cancel-run.ts'
import { IdempotencyHeaders, idempotencyKey } from './idempotency-key.ts'
import { presentRuns } from './present-runs.ts'
import { runDetail } from './run-detail.ts'
import { LogPage, RunAnswer, RunBody, RunDetail, RunList, RunParams, Vars } from './schemas.ts'
import { LogQuery, sendLogs } from './send-logs.ts'
import { startRun } from './start-run.ts'

const workspaceExists = async (db: Db, organizationId: number, { id }: Record<string, number>) =>
  workspaces(db, organizationId).get(id ?? 0)

const runExists = async (db: Db, organizationId: number, params: Record<string, number>) =>
  workspaceRuns(db, organizationId).ofWorkspace(params['id'] ?? 0, params['runId'] ?? 0)

/** Decisions §4: plan-only runs and runs of `provision-<workspace>`, seen from the workspace. */
export const workspaceRunRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  for (const kind of ['plan', 'apply'] as const)
    app.post(
      `/workspaces/:id/${kind}`,
      {
        config: { access: 'mutate_infra', target: workspaceExists },
        schema: {
          operationId: `${kind}Workspace`,
          params: IdParams,
          headers: IdempotencyHeaders,
          body: Body({ vars: Type.Optional(Vars), destroy: Type.Optional(Type.Boolean()) }),
          response: { 201: RunAnswer, ...errors(409) },
        },
      },
      async ({ caller, params, body, headers }, reply) => {
        const answer = await startRun(deps, caller, {
          target: { workspaceId: params.id },
          kind,
          ...(body.vars && { vars: body.vars }),
          ...(body.destroy !== undefined && { destroy: body.destroy }),
          idempotencyKey: idempotencyKey(headers),
        })
        return reply.status(201).send(answer)
      },
    )

  app.get(
    '/workspaces/:id/runs',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'listWorkspaceRuns',
        params: IdParams,
        querystring: Page,
        response: { 200: RunList, ...errors() },
      },
    },
    async ({ caller: { organizationId }, params: { id }, query: { limit = 50, cursor } }) => {
      const before = decodeCursor(cursor, maxKey)
      return deps.store.tenant(organizationId, async (db) => {
        await workspaces(db, organizationId).get(id)
        const found = await workspaceRuns(db, organizationId).list(id, limit + 1, before)
        const { rows, nextCursor } = page(found, limit)
        const runIds = rows.map((run) => run.id)
        return { runs: await presentRuns(db, organizationId, { runIds }), nextCursor }
      })
    },
  )

  app.get(
    '/workspaces/:id/runs/:runId',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getWorkspaceRun',
        params: RunParams,
        response: { 200: Type.Object({ run: RunDetail }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params }) => {
      const place = await deps.store.tenant(organizationId, async (db) => {
        await runExists(db, organizationId, params)
        const places = await pipelineRuns(db, organizationId).ofWorkspaceRuns([params.runId])
        const own = places.find(({ id }) => id === params.runId)
        return { id: params.runId, workspaceRunId: params.runId, number: own?.number ?? null }
      })
      return { run: await runDetail(deps, organizationId, place) }
    },
  )

  app.get(
    '/workspaces/:id/runs/:runId/logs',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getWorkspaceRunLogs',
        params: RunParams,
        querystring: LogQuery,
        response: { 200: LogPage, ...errors() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.caller
      const { params, query } = request
      await deps.store.tenant(organizationId, async (db) => runExists(db, organizationId, params))
      return sendLogs(deps, { request, reply, runId: params.runId, query })
    },
  )

  app.post(
    '/workspaces/:id/runs/:runId/cancel',
    {
      config: { access: 'mutate_infra', target: runExists },
      schema: {
        operationId: 'cancelWorkspaceRun',
        params: RunParams,
        body: Body({}),
        response: { 200: Type.Object({ ok: Type.Literal(true), run: RunBody }), ...errors(409) },
      },
    },
    async ({ caller, params }) => {
      const { organizationId } = caller
      const run = await deps.store.tenant(organizationId, async (db) => {
        await runExists(db, organizationId, params)
        await cancelRun(db, caller, params.runId)
        return (await presentRuns(db, organizationId, { runIds: [params.runId] }))[0]
      })
      if (!run) throw new Error('a run that was just canceled is gone')
      return { ok: true as const, run }
    },
  )
}
