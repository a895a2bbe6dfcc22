import type { KeyObject } from 'node:crypto'
import { makeIssuerKey, openIssuerKey } from '../../gateways/issuer/issuer-key.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { issuerKeys, placeOfIssuerKey } from '../../store/clouds/issuer-keys.ts'
import type { Store } from '../../store/driver/connect.ts'

/** The key that an organization's issuer signs with now. The first one is made when it is needed. */
export async function signingKey(
  { store, keyring }: { store: Store; keyring: Keyring },
  organizationId: number,
): Promise<KeyObject> {
  const place = placeOfIssuerKey(organizationId)
  const find = async () =>
    store.tenant(organizationId, async (tenant) => issuerKeys(tenant).signing())
  let found = await find()
  if (!found) {
    // Outside of the transaction: it takes a second of CPU at worst.
    const sealed = keyring.seal(place, await makeIssuerKey())
    await store.tenant(organizationId, async (tenant) => issuerKeys(tenant).addFirst(sealed))
    found = await find()
  }
  if (!found) throw new Error('an issuer has no key')
  return openIssuerKey(keyring.open(place, found.privateKey))
}
