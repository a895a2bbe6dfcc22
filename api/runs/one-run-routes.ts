import type { Tenant } from '../../store/driver/tenant.ts'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { decodeCursor } from '../http/paging.ts'
import { Text, Body, errors, NoQuery, Page } from '../http/schemas.ts'
import { cancelRun } from './cancel-run.ts'
import { commentRoutes } from './comment-routes.ts'
import { decideRun } from './decide-run.ts'
import { NullablePlanPage } from '../infrastructure/plan-page-schema.ts'
import { maxPlanPageBytes, presentPlanPage, readPlanPage } from '../infrastructure/plan-page.ts'
import { presentRuns } from './present-runs.ts'
import { rerunRoutes } from './rerun-routes.ts'
import type { RunScope } from './run-scope.ts'
import { runDetail } from './run-detail.ts'
import { RunDetail } from './run-detail-schema.ts'
import { LogPage, RunBody, RunParams } from './schemas.ts'
import { assertRoomForLogs, LogQuery, sendLogs } from './send-logs.ts'

/** The routes of one run, its comments, its logs, its cancel and its repetition: the same under a pipeline and under a workspace. */
export const oneRunRoutes: FastifyPluginAsyncTypebox<RunScope> = async (app, { noun, place }) => {
  await app.register(commentRoutes, { noun, place })
  await app.register(rerunRoutes, { noun, place })
  const { deps } = app
  const path = `/${noun.toLowerCase()}s/:id/runs/:runId`
  const find = async (organizationId: number, params: { id: number; runId: number }) =>
    deps.store.tenant(organizationId, async (tenant) => place(tenant, params))

  const target = async (tenant: Tenant, { id = 0, runId = 0 }: Record<string, number>) =>
    place(tenant, { id, runId })

  app.get(
    path,
    {
      config: { access: 'read', compressed: true, target },
      schema: {
        operationId: `get${noun}Run`,
        params: RunParams,
        querystring: NoQuery,
        response: { 200: Type.Object({ run: RunDetail }), ...errors() },
      },
    },
    async ({ caller, params }) => ({
      run: await runDetail(deps, caller, async (tenant) => place(tenant, params)),
    }),
  )

  app.get(
    `${path}/plan`,
    {
      config: { access: 'read', compressed: true, target },
      schema: {
        operationId: `get${noun}RunPlan`,
        description:
          'The changes of the plan by pages, what is taken away first. A page ends at `limit` changes or 512 KiB. `plan` is null before there is one, and for a plan of a version that kept no changes to show: the log lists those.',
        params: RunParams,
        querystring: Page,
        response: { 200: Type.Object({ plan: NullablePlanPage }), ...errors() },
      },
    },
    async ({ caller: { organizationId }, params, query: { limit = 50, cursor } }) => {
      const page = await deps.store.tenant(organizationId, async (tenant) => {
        const { workspaceRunId } = await place(tenant, params)
        const after = decodeCursor(cursor, 0)
        if (workspaceRunId === null) return null
        return readPlanPage(deps, tenant, {
          workspaceRunId,
          after,
          limit,
          maxBytes: maxPlanPageBytes,
        })
      })
      return { plan: presentPlanPage(deps.keyring, page) }
    },
  )

  app.get(
    `${path}/logs`,
    {
      config: { access: 'read', compressed: true, target },
      schema: {
        operationId: `get${noun}RunLogs`,
        params: RunParams,
        querystring: LogQuery,
        response: { 200: LogPage, ...errors() },
      },
    },
    async (request, reply) => {
      assertRoomForLogs(request)
      const run = await find(request.caller.organizationId, request.params)
      return sendLogs(deps, { request, reply, run, query: request.query })
    },
  )

  for (const [action, decision] of [
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ] as const)
    app.post(
      `${path}/${action}`,
      {
        config: { access: 'mutate_infra', target },
        schema: {
          operationId: `${action}${noun}Run`,
          params: RunParams,
          body: Body({
            ...(action === 'approve' && {
              planDigest: Type.Optional(Text(100)),
              configurationSha256: Type.Optional(Text(100)),
            }),
            step: Type.Optional(
              Type.Integer({
                minimum: 0,
                maximum: 10_000,
                description:
                  'Of a deployment: the step that the caller looked at (`deployment.confirm`), 0 for the release. Where another one waits by now: 409 `step_changed`.',
              }),
            ),
            comment: Type.Optional(Text()),
          }),
          response: { 200: Type.Object({ ok: Type.Literal(true), run: RunBody }), ...errors(409) },
        },
      },
      async ({ caller, params, body }) => {
        // Both actions take a step and a comment; only an approval names what it approves.
        const { planDigest, configurationSha256, step, comment } = body as {
          planDigest?: string
          configurationSha256?: string
          step?: number
          comment?: string
        }
        const run = await decideRun(deps, caller, {
          place: async (tenant) => place(tenant, params),
          decision,
          ...(planDigest !== undefined && { planDigest }),
          ...(configurationSha256 !== undefined && { configurationSha256 }),
          ...(step !== undefined && { step }),
          ...(comment !== undefined && { comment }),
        })
        return { ok: true as const, run }
      },
    )

  app.post(
    `${path}/cancel`,
    {
      config: {
        access: 'mutate_infra',
        target,
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
      const run = await deps.store.tenant(organizationId, async (tenant) => {
        const found = await place(tenant, params)
        await cancelRun(tenant, caller, { run: found })
        return (await presentRuns(tenant, caller, { places: [found] }))[0]
      })
      if (!run) throw new Error('a run that was just canceled is gone')
      return { ok: true as const, run }
    },
  )
}
