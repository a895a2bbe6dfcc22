import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflict, notFound } from '../../../domain/errors.ts'
import { hostWork } from '../../../store/agents/host-work.ts'
import {
  releaseOfDeployment,
  type DeployedRelease,
} from '../../../store/agents/release-of-deployment.ts'
import type { Tenant } from '../../../store/driver/tenant.ts'
import { sendArtifact } from '../../artifacts/send-artifact.ts'
import { ErrorBody, errors, Id, IdParams } from '../../http/schemas.ts'
import { deploymentTarget } from './deployment-target.ts'
import { leaseLost } from './lease-lost.ts'

const description =
  'The artifact of what was claimed, as `tar` under `zstd`, to the claim that holds the lease alone. Range and If-Range continue one that broke off.'

const Bytes = Type.Unsafe<never>({ type: 'string', format: 'binary' })

/** The bytes of a release, to the host that is to have it. */
export const artifactRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/agent/deployments/:id/artifact',
    {
      config: { access: 'agent', target: deploymentTarget },
      schema: {
        operationId: 'downloadRelease',
        description,
        params: IdParams,
        querystring: Type.Object({ fence: Id }),
        response: {
          200: Bytes,
          206: Bytes,
          304: Type.Null(),
          416: ErrorBody,
          ...errors(409, 426),
        },
      },
    },
    async (request, reply) => {
      const { agentCaller, params, query } = request
      const { organizationId, agentId } = agentCaller
      const { digest, sizeBytes, artifactRunId } = await deps.store.tenant(
        organizationId,
        async (tenant) => claimedRelease(tenant, { ...params, agentId, fence: query.fence }),
      )
      return sendArtifact(
        deps,
        {
          request,
          reply,
          organizationId,
          artifact: { digest, sizeBytes, pipelineRunId: artifactRunId },
          fileName: digest.slice('sha256:'.length, 'sha256:'.length + 16),
        },
        'agents',
      )
    },
  )
}

async function claimedRelease(
  tenant: Tenant,
  { id, agentId, fence }: { id: number; agentId: number; fence: number },
): Promise<DeployedRelease> {
  const work = await hostWork(tenant).find(id, agentId)
  if (!work) throw notFound()
  if (work.action === null || !work.isLeased || work.fence !== fence) throw leaseLost()
  const runId = work.action === 'rollback' ? work.earlierRunId : id
  const release = runId === null ? undefined : await releaseOfDeployment(tenant, runId)
  if (!release || release.isGone)
    throw conflict('artifact_gone', 'This artifact is no longer kept.')
  // Somebody changed its labels since it claimed: the artifact is for others.
  if (!work.fits) throw leaseLost()
  return release
}
