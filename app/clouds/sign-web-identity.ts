import { issuerAddress } from '../../domain/clouds/issuer-address.ts'
import { accountSubject } from '../../domain/clouds/web-identity.ts'
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

/** A token with which a cloud lets this service act on one account, without a key. */
export async function signWebIdentity(
  deps: IssuerDeps,
  organizationId: number,
  { accountId, audience }: { accountId: string; audience: string },
): Promise<string> {
  const key = await signingKey(deps, organizationId)
  const { slug, publicId } = await deps.store.tenant(organizationId, cloudIdentity)
  return signToken(key, {
    issuer: issuerAddress(deps.issuerOrigin, publicId),
    audience,
    subject: accountSubject(slug, accountId),
    more: { org_id: String(organizationId) },
  })
}
