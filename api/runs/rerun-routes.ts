import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Tenant } from '../../store/driver/tenant.ts'
import { Body, errors } from '../http/schemas.ts'
import { untilGone } from '../http/until-gone.ts'
import { IdempotencyHeaders, idempotencyKey } from './idempotency-key.ts'
import { rerunRun } from './rerun-run.ts'
import type { RunScope } from './run-scope.ts'
import { RunAnswer, RunParams } from './schemas.ts'

/** Starts what a run did again: the same under a pipeline and under a workspace. */
export const rerunRoutes: FastifyPluginAsyncTypebox<RunScope> = async (app, { noun, place }) => {
  const { deps } = app
  const target = async (tenant: Tenant, { id = 0, runId = 0 }: Record<string, number>) =>
    place(tenant, { id, runId })

  app.post(
    `/${noun.toLowerCase()}s/:id/runs/:runId/rerun`,
    {
      config: { access: 'mutate_infra', target },
      schema: {
        operationId: `rerun${noun}Run`,
        description:
          'Starts a new run of the same configuration version or commit with the same options, as its caller. What the run had in variables of its own is used again. Refused with 409 `not_rerunnable` where what it was made of is gone: its artifact, its target, its Git connection, or the head of its pull request. A run that a deployment started is not run again by itself.',
        params: RunParams,
        headers: IdempotencyHeaders,
        body: Body({}),
        response: { 201: RunAnswer, ...errors(409) },
      },
    },
    async ({ caller, params, headers }, reply) => {
      const answer = await rerunRun(untilGone(reply, deps), caller, {
        of: { noun, ...params },
        place: async (tenant) => place(tenant, params),
        idempotencyKey: idempotencyKey(headers),
      })
      return reply.status(201).send(answer)
    },
  )
}
