import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { pipelineRuns } from '../../store/runs/pipeline-runs.ts'
import { decodeCursor } from '../http/paging.ts'
import { Body, errors, Page, Text } from '../http/schemas.ts'
import { untilGone } from '../http/until-gone.ts'
import { changesOfRun } from './changes-of-run.ts'
import { HostList } from './host-schemas.ts'
import { IdempotencyHeaders, idempotencyKey } from './idempotency-key.ts'
import { listHosts } from './list-hosts.ts'
import { ChangesBody } from './release-schemas.ts'
import { rollBack } from './roll-back.ts'
import { RunAnswer, RunParams } from './schemas.ts'
import { addRoutes } from '../http/add-routes.ts'

const target = async (tenant: Tenant, { id = 0, runId = 0 }: Record<string, number>) =>
  pipelineRuns(tenant).get(id, runId)

/** What only runs of applications have: their hosts, and a way back. */
export const releaseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  await addRoutes(app, changesRoute)
  const { deps } = app

  app.get(
    '/pipelines/:id/runs/:runId/hosts',
    {
      config: { access: 'read', target },
      schema: {
        operationId: 'listPipelineRunHosts',
        description:
          'The hosts of a deployment in the order in which they are updated; those that an earlier deployment left with its release come first. 404 before the deployment begins, and of a run that deploys nothing.',
        params: RunParams,
        querystring: Page,
        response: { 200: HostList, ...errors() },
      },
    },
    async ({ caller, params, query: { limit = 50, cursor } }) =>
      listHosts(deps, caller, { ...params, limit, after: decodeCursor(cursor, 0) }),
  )

  app.post(
    '/pipelines/:id/runs/:runId/rollback',
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: 'rollBackPipelineRun',
        description:
          'Starts a run that deploys the release of this one again. Refused with 409: `not_rollbackable` (it has no artifact, or the pipeline has another target now) and `artifact_gone`.',
        params: RunParams,
        headers: IdempotencyHeaders,
        body: Body({ comment: Type.Optional(Text(500)) }),
        response: {
          201: Type.Object({ ok: Type.Literal(true), ...RunAnswer.properties }),
          ...errors(409),
        },
      },
    },
    async ({ caller, params: { id, runId }, body, headers }, reply) => {
      const answer = await rollBack(untilGone(reply, deps), caller, {
        pipelineId: id,
        runId,
        ...(body.comment !== undefined && { comment: body.comment }),
        idempotencyKey: idempotencyKey(headers),
      })
      return reply.status(201).send({ ok: true as const, ...answer })
    },
  )
}

const changesRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/pipelines/:id/runs/:runId/changes',
    {
      config: { access: 'read' },
      schema: {
        operationId: 'getPipelineRunChanges',
        description:
          'What the release of an application changes in its manifest and its hooks, against the release that it replaces: what its approver decides about beside the commits.',
        params: RunParams,
        response: { 200: ChangesBody, ...errors() },
      },
    },
    async ({ caller: { organizationId }, params }) =>
      deps.store.tenant(organizationId, async (tenant) => changesOfRun(tenant, params)),
  )
}
