import type { Readable } from 'node:stream'
import { Type, type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  isReleaseToken,
  readReleaseToken,
  releaseAddressMinutes,
} from '../../app/deployments/release-address.ts'
import { AppError, conflict, notFound } from '../../domain/errors.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import {
  addressedRelease,
  type AddressedArtifact,
} from '../../store/deployments/addressed-release.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import { ErrorBody, errors } from '../http/schemas.ts'
import { sendArtifact } from './send-artifact.ts'

const Bytes = {
  content: { 'application/zstd': { schema: Type.Unsafe<Readable>({ type: 'string' }) } },
}

/** The artifact at the address that a run of a workspace is given as `cc_release_url`. */
export const releaseRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/releases/:token',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getRelease',
        description:
          'The artifact of a release that a run of a workspace deploys (`cc_release_url`), for 15 minutes from the beginning of its plan and again of its apply. As of the artifact of a run, one `Range` and `If-Range` are understood.',
        params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
        response: { 200: Bytes, 206: Bytes, 304: Type.Null(), 416: ErrorBody, ...errors(404, 409) },
      },
    },
    async (request, reply) => {
      const asked = readReleaseToken(request.params.token)
      if (!asked) throw notFound()
      const { organizationId, runId, mac } = asked
      const release = await deps.store.tenant(organizationId, async (tenant) =>
        assertOpen(deps, tenant, { runId, mac }),
      )
      const { digest, sizeBytes, artifactRunId, pipelineName, number } = release
      return sendArtifact(deps, {
        request,
        reply,
        organizationId,
        artifact: { digest, sizeBytes, pipelineRunId: artifactRunId },
        fileName: `${pipelineName}-${number}`,
        async onStart() {
          await deps.store.tenant(organizationId, async (tenant) =>
            auditLog(tenant, systemActor).record('pipeline.artifact_downloaded', {
              target: { kind: 'run', id: runId, label: pipelineName },
              detail: {
                pipelineId: release.pipelineId,
                digest,
                workspaceRunId: release.workspaceRunId,
              },
            }),
          )
        },
      })
    },
  )
}

/** An unknown address and one that is not ours are alike. The time is told to the holder of a true one alone. */
async function assertOpen(
  { keyring }: Pick<Deps, 'keyring'>,
  tenant: Tenant,
  { runId, mac }: { runId: number; mac: Buffer },
): Promise<AddressedArtifact> {
  const { organizationId } = tenant
  const release = await addressedRelease(tenant, runId, { minutes: releaseAddressMinutes })
  if (!release || !isReleaseToken(keyring, { organizationId, runId, digest: release.digest }, mac))
    throw notFound()
  if (!release.isOpen)
    throw new AppError(
      'not_found',
      `This address works for ${releaseAddressMinutes} minutes from the beginning of the plan and of the apply of its run.`,
    )
  if (release.isGone) throw conflict('artifact_gone', 'This artifact is no longer kept.')
  return release
}
