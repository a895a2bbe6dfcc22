import { audienceOf } from '../../../domain/clouds/web-identity.ts'
import type { KeptOutbound } from '../../outbound/outbound.ts'
import type { AzureTarget, CloudDeps, LendAsked, Lent } from '../cloud.ts'
import { resourceManager } from './azure-http-client.ts'
import { azureSession } from './azure-session.ts'

const azureAudience = audienceOf('azure', '')
/** The issuer's tokens live for 10 minutes (`gateways/issuer/sign-token.ts`). */
const tokenMs = 10 * 60_000

/** A token of the organization's issuer for the application that runs have in this phase. */
export async function lendAzure(
  target: AzureTarget,
  deps: CloudDeps,
  { phase }: LendAsked,
): Promise<Lent | undefined> {
  const identity = target.runs?.[phase]
  if (identity === undefined) return undefined
  const expiresAt = new Date(Date.now() + tokenMs)
  const assertion =
    identity === 'account'
      ? await deps.webIdentity(azureAudience)
      : await deps.runIdentity(azureAudience, phase)
  return { kind: 'azure', assertion, expiresAt }
}

/** Signs in as a run does, to see whether Azure lets it. */
export async function tryAsRun(
  { target, deps, kept }: { target: AzureTarget; deps: CloudDeps; kept: KeptOutbound },
  { phase, signal }: LendAsked,
): Promise<Lent | undefined> {
  const identity = target.runs?.[phase]
  if (identity === undefined) return undefined
  const { tenantId, clientId } = target.credentials
  const isOwn = identity === 'account' || !('clientId' in identity)
  const application = isOwn
    ? { target, deps }
    : {
        target: { ...target, credentials: { tenantId, clientId: identity.clientId } },
        deps: {
          ...deps,
          webIdentity: async (audience: string) => deps.runIdentity(audience, phase),
        },
      }
  const session = azureSession(application.target, application.deps, kept)
  await session.token(resourceManager, signal)
  return lendAzure({ ...target, credentials: { tenantId, clientId } }, deps, { phase, name: '' })
}
