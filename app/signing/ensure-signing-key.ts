import { createPublicKey, type KeyObject } from 'node:crypto'
import { makeSigningKey, openSigningKey } from '../../gateways/signing/make-signing-key.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { keyIdOf, type PublicSigningKey } from '../../domain/signing/signing-key.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { Store } from '../../store/driver/connect.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { placeOfSigningKey, signingKeys } from '../../store/signing/signing-keys.ts'

export type SigningKey = PublicSigningKey & { createdAt: Date; privateKey: KeyObject }

/**
 * The key that an organization signs with now. The first one is made when it is needed, and no save
 * replaces it. Throws `keyring_unavailable` where its wrap cannot be opened. The public half is taken from the
 * sealed private one: who can write the table could otherwise put their own beside it, for agents to trust.
 */
export async function ensureSigningKey(
  { store, keyring }: { store: Store; keyring: Keyring },
  organizationId: number,
): Promise<SigningKey> {
  const current = async () =>
    store.tenant(organizationId, async (tenant) => signingKeys(tenant).current())
  let found = await current()
  if (!found) {
    // Before the transaction, whose lock others wait for.
    const { pkcs8, keyId, publicKey } = await makeSigningKey()
    const privateKey = keyring.seal(placeOfSigningKey(organizationId), pkcs8)
    await store.tenant(organizationId, async (tenant) =>
      addFirst(tenant, { keyId, publicKey, privateKey, createdAt: new Date() }),
    )
    found = await current()
  }
  if (!found) throw new Error('an organization has no signing key')
  const { keyId, createdAt } = found
  const opened = keyring.open(placeOfSigningKey(organizationId), found.privateKey)
  const privateKey = openSigningKey(opened)
  const publicKey = createPublicKey(privateKey)
  if (keyIdOf(publicKey) !== keyId)
    throw new Error('the signing key of an organization has another id than its private key')
  return {
    keyId,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    createdAt,
    privateKey,
  }
}

/** Of two processes that make the first key at once, one key is kept. */
async function addFirst(
  tenant: Tenant,
  key: PublicSigningKey & { privateKey: Buffer; createdAt: Date },
): Promise<void> {
  const keys = signingKeys(tenant)
  await keys.hold()
  if (await keys.current()) return
  await keys.add(key, [])
  await auditLog(tenant, systemActor).record('org.signing_key_created', {
    target: { kind: 'organization', id: tenant.organizationId },
    detail: { keyId: key.keyId },
  })
}
