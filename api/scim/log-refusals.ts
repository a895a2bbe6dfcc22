import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ScimType } from '../../domain/errors.ts'
import { scimLog } from '../../store/scim/scim-log.ts'
import type { Deps } from '../deps.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The refusal that the identity provider got. */
    scimRefusal: { status: number; scimType: ScimType | undefined; detail: string } | undefined
  }
}

/** Logs refusals: a connector shows its administrator little of why a request failed. */
export function logRefusals(scim: FastifyInstance): void {
  // Also for a client that has disconnected. Otherwise an attacker with a token could try unseen.
  scim.whenOver((request) => void logRefusal(scim.deps, request))
}

async function logRefusal(deps: Deps, request: FastifyRequest): Promise<void> {
  const { scimCaller, scimRefusal } = request
  // Rate-limited requests must not cause more work.
  if (!scimCaller || !scimRefusal || scimRefusal.status === 429) return
  const { organizationId } = scimCaller
  try {
    await deps.store.tenant(organizationId, async (tenant) =>
      scimLog(tenant).recordRefusal(
        { ...scimCaller, method: request.method, path: request.url },
        { ...scimRefusal, scimType: scimRefusal.scimType ?? null },
      ),
    )
  } catch (error) {
    request.log.warn({ err: error, requestId: request.id }, 'a refusal was not logged')
  }
}
