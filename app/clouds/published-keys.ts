import { openIssuerKey, publicJwk } from '../../gateways/issuer/issuer-key.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { issuerKeys, placeOfIssuerKey } from '../../store/clouds/issuer-keys.ts'
import type { Store } from '../../store/driver/connect.ts'

/** The public keys of an organization's issuer, as a JWK set. Empty while it has signed nothing. */
export async function publishedKeys(
  { store, keyring }: { store: Store; keyring: Keyring },
  organizationId: number,
) {
  const keys = await store.tenant(organizationId, async (tenant) => issuerKeys(tenant).published())
  const place = placeOfIssuerKey(organizationId)
  return {
    keys: await Promise.all(
      keys.map(async ({ privateKey }) => publicJwk(openIssuerKey(keyring.open(place, privateKey)))),
    ),
  }
}
