import { issuerAddress } from '../../domain/clouds/issuer-address.ts'
import type { RunPhase } from '../../domain/clouds/check-runs.ts'
import { accountSubject, runSubject } from '../../domain/clouds/web-identity.ts'
import { signToken } from '../../gateways/issuer/sign-token.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import type { Store } from '../../store/driver/connect.ts'
import { signingKey } from './signing-key.ts'

export type IssuerDeps = {
  store: Store
  keyring: Keyring
  /** `CC_OIDC_ISSUER`, or the service's own address. */
  issuerOrigin: string
}

/** The run that acts, and its workspace. */
export type ActingRun = { workspaceId: number; workspaceName: string; runId?: number }

/**
 * A token with which a cloud lets this service act on one account, without a key; or a run of one
 * workspace in one phase.
 */
export async function signWebIdentity(
  deps: IssuerDeps,
  organizationId: number,
  { audience, subject, run }: { audience: string; subject: Subject; run?: ActingRun | undefined },
): Promise<string> {
  const key = await signingKey(deps, organizationId)
  const { slug, publicId } = await deps.store.tenant(organizationId, cloudIdentity)
  return signToken(key, {
    issuer: issuerAddress(deps.issuerOrigin, publicId),
    audience,
    subject:
      'accountId' in subject
        ? accountSubject(slug, subject.accountId)
        : runSubject(slug, subject.workspaceName, subject.phase),
    more: {
      org_id: String(organizationId),
      ...(run && { workspace_id: String(run.workspaceId) }),
      ...(run?.runId !== undefined && { run_id: String(run.runId) }),
    },
  })
}

type Subject = { accountId: string } | { workspaceName: string; phase: RunPhase }
