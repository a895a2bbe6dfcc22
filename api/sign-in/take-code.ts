import type { Tenant } from '../../store/driver/tenant.ts'
import { hashRecoveryCode, stepOfCode } from '../../domain/access/second-factor.ts'
import type { Keyring, SealedPlace } from '../../gateways/keyring/keyring.ts'
import { secondFactors } from '../../store/users/second-factors.ts'

export const secretPlace = (organizationId: number): SealedPlace => ({
  organizationId,
  table: 'second_factors',
  column: 'secret',
})

/**
 * Consumes a code of an active second factor, or a recovery code. A used code is refused within its
 * own 30 s too, because an attacker may have seen it (RFC 6238 5.2).
 */
export async function takeCode(
  { keyring }: { keyring: Keyring },
  tenant: Tenant,
  { userId, code }: { userId: number; code: string },
): Promise<'totp' | 'recovery' | undefined> {
  const factors = secondFactors(tenant)
  const factor = await factors.find(userId)
  if (!factor?.enabled) return undefined
  const secret = keyring.open(secretPlace(tenant.organizationId), factor.secret).toString()
  const step = stepOfCode(secret, code)
  if (step !== undefined) return (await factors.takeStep(userId, step)) ? 'totp' : undefined
  return (await factors.takeRecoveryCode(userId, hashRecoveryCode(code))) ? 'recovery' : undefined
}
