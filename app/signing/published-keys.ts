import { createPublicKey, type KeyObject } from 'node:crypto'
import { openSigningKey } from '../../gateways/signing/make-signing-key.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import type { EndorsedKey } from '../../domain/signing/endorsement.ts'
import { keyIdOf } from '../../domain/signing/signing-key.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import {
  placeOfSigningKey,
  signingKeys,
  type StoredSigningKey,
} from '../../store/signing/signing-keys.ts'

/** The keys of an organization as its agents are told of them, newest first. */
export async function publishedSigningKeys(
  deps: { keyring: Keyring },
  tenant: Tenant,
): Promise<EndorsedKey[]> {
  const keys = await provedSigningKeys(deps, tenant)
  return keys.map(({ keyId, publicKey, endorsements }) => ({ keyId, publicKey, endorsements }))
}

/** What agents would trust: an order or a provenance is verified by these. */
export async function publicKeysOf(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
): Promise<Map<string, KeyObject>> {
  const rows = await signingKeys(tenant).list()
  return new Map(
    rows.flatMap(({ keyId, privateKey }) => {
      const key = publicHalfOf(keyring, tenant, privateKey)
      return key && keyIdOf(key) === keyId ? [[keyId, key] as const] : []
    }),
  )
}

/**
 * The keys whose public half is that of their sealed private one, newest first. The others are left out: who
 * can write the table has put them there, or their wrap is of a key that the keyring has no more.
 */
export async function provedSigningKeys(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
): Promise<StoredSigningKey[]> {
  const rows = await signingKeys(tenant).list()
  return rows.flatMap(({ privateKey, ...row }) => {
    const key = publicHalfOf(keyring, tenant, privateKey)
    if (!key || keyIdOf(key) !== row.keyId) return []
    return [{ ...row, publicKey: key.export({ type: 'spki', format: 'pem' }).toString() }]
  })
}

/** Each heartbeat of an agent asks for the keys, and opening 50 takes 5 ms: what was opened is kept. */
const opened = new WeakMap<Keyring, Map<string, KeyObject>>()
const maxKept = 10_000

function publicHalfOf(
  keyring: Keyring,
  { organizationId }: Tenant,
  sealed: Buffer,
): KeyObject | undefined {
  const kept = opened.get(keyring) ?? new Map<string, KeyObject>()
  opened.set(keyring, kept)
  const name = `${organizationId} ${sealed.toString('base64')}`
  const known = kept.get(name)
  if (known) return known
  try {
    const key = createPublicKey(
      openSigningKey(keyring.open(placeOfSigningKey(organizationId), sealed)),
    )
    if (kept.size >= maxKept) kept.clear()
    kept.set(name, key)
    return key
  } catch {
    return undefined
  }
}
