import { renderSVG } from 'uqr'
import type { Caller } from '../../domain/access/caller.ts'
import { newTotpSecret, otpauthUrl } from '../../domain/access/second-factor.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors } from '../../store/users/second-factors.ts'
import type { Deps } from '../deps.ts'
import { secretPlace } from './take-code.ts'

export type Enrollment = { secret: string; otpauthUrl: string; qrSvg: string }

/** Creates a secret for an authenticator app. It has no effect until a code of it is confirmed. */
export async function enrollSecondFactor(
  { store, keyring }: Deps,
  caller: Caller,
): Promise<Enrollment> {
  const { organizationId, userId } = caller
  const secret = newTotpSecret()
  await store.tenant(organizationId, async (tenant) => {
    const person = await holdPerson(tenant, userId)
    // Otherwise an attacker with an open session could replace the person's app by another.
    if (person?.mfaEnabled)
      throw conflict('mfa_enabled', 'A second factor is active. Remove it first.')
    const sealed = keyring.seal(secretPlace(organizationId), secret)
    await secondFactors(tenant).enroll(userId, sealed)
    await auditLog(tenant, actorOf(caller)).record('auth.mfa_enrolled', {
      target: { kind: 'user', id: userId, label: caller.email ?? caller.name },
    })
  })
  const url = otpauthUrl(secret, `${caller.organizationSlug}:${caller.email ?? caller.name}`)
  return { secret, otpauthUrl: url, qrSvg: renderSVG(url, { border: 4 }) }
}
