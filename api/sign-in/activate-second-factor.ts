import type { Tenant } from '../../store/driver/tenant.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { newRecoveryCodes, stepOfCode } from '../../domain/access/second-factor.ts'
import { codeTries } from '../../domain/access/try-subjects.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors, type SecondFactor } from '../../store/users/second-factors.ts'
import type { Deps } from '../deps.ts'
import { wrongOwnCode } from './refusals.ts'
import { secretPlace } from './take-code.ts'
import { asTry } from './as-try.ts'

/** Requires the second factor from now on. The recovery codes are shown here and never again. */
export async function activateSecondFactor(
  { store, keyring }: Deps,
  caller: Caller,
  code: string,
): Promise<string[]> {
  const { organizationId, userId } = caller
  // Before a try is counted: without an enrolment there is nothing to guess.
  await store.tenant(organizationId, async (tenant) => enrolledFactor(tenant, caller))
  const subject = codeTries(organizationId, userId)
  const recovery = newRecoveryCodes()
  await asTry(store.platform, subject, async () =>
    store.tenant(organizationId, async (tenant) => {
      await holdPerson(tenant, userId)
      const factor = await enrolledFactor(tenant, caller)
      const factors = secondFactors(tenant)
      const secret = keyring.open(secretPlace(organizationId), factor.secret).toString()
      const step = stepOfCode(secret, code)
      // The step is consumed here too, so the activating code does not sign in afterwards.
      if (step === undefined || !(await factors.takeStep(userId, step))) throw wrongOwnCode()
      await factors.activate(userId, recovery.hashes)
      await auditLog(tenant, actorOf(caller)).record('auth.mfa_enabled', {
        target: { kind: 'user', id: userId, label: caller.email ?? caller.name },
      })
      return true
    }),
  )
  return recovery.plain
}

/** The enrolment that is not active yet; throws if there is none or it is active. */
async function enrolledFactor(tenant: Tenant, { userId }: Caller): Promise<SecondFactor> {
  const factor = await secondFactors(tenant).find(userId)
  if (!factor) throw conflict('mfa_not_enrolled', 'Enroll first, then send a code of the app.')
  if (factor.enabled) throw conflict('mfa_enabled', 'A second factor is active already.')
  return factor
}
