import type { EndorsedKey } from '../../domain/signing/endorsement.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { signingKeys } from '../../store/signing/signing-keys.ts'

/** The keys of an organization as its agents are told of them, newest first. */
export async function publishedSigningKeys(tenant: Tenant): Promise<EndorsedKey[]> {
  const keys = await signingKeys(tenant).list()
  return keys.map(({ keyId, publicKey, endorsements }) => ({ keyId, publicKey, endorsements }))
}
