import type { Caller } from '../../domain/access/caller.ts'
import { conflict } from '../../domain/errors.ts'
import { endorse } from '../../domain/signing/endorsement.ts'
import { maxSigningKeys } from '../../domain/signing/trusted-keys.ts'
import { ensureSigningKey } from '../../app/signing/ensure-signing-key.ts'
import { makeSigningKey } from '../../gateways/signing/make-signing-key.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { placeOfSigningKey, signingKeys } from '../../store/signing/signing-keys.ts'
import { holdPeopleAs } from '../../store/users/hold-people.ts'
import type { Deps } from '../deps.ts'

/**
 * Replaces the key that the organization signs with. The old key and the new one endorse each other, so
 * that agents which trust either learn the other, and what the old one has signed stays verifiable.
 */
export async function rotateSigningKey(
  deps: Pick<Deps, 'store' | 'keyring'>,
  caller: Caller,
): Promise<{ keyId: string }> {
  const { organizationId } = caller
  const before = await ensureSigningKey(deps, organizationId)
  const made = await makeSigningKey()
  const { keyId, publicKey } = made
  const sealed = deps.keyring.seal(placeOfSigningKey(organizationId), made.pkcs8)
  await deps.store.tenant(organizationId, async (tenant) => {
    await holdPeopleAs(tenant, caller, 'manage_users_sso')
    const keys = signingKeys(tenant)
    const { publicId: organization } = await keys.hold()
    if ((await keys.list()).length >= maxSigningKeys)
      throw conflict(
        'signing_key_limit',
        `An organization has at most ${maxSigningKeys} signing keys, retired ones included.`,
      )
    const createdAt = new Date()
    const named = { organization, keyId, publicKey, createdAt: createdAt.toISOString() }
    const earlier = {
      organization,
      keyId: before.keyId,
      publicKey: before.publicKey,
      createdAt: before.createdAt.toISOString(),
    }
    if (!(await keys.retire(before.keyId, endorse(earlier, made))))
      throw conflict('signing_key_changed', 'Somebody has just replaced the key.')
    await keys.add({ keyId, publicKey, privateKey: sealed, createdAt }, [endorse(named, before)])
    await auditLog(tenant, actorOf(caller)).record('org.signing_key_rotated', {
      target: { kind: 'organization', id: organizationId, label: caller.organizationSlug },
      detail: { keyId, retired: before.keyId },
    })
  })
  return { keyId }
}
