import type { Caller } from '../../domain/access/caller.ts'
import { codeTries } from '../../domain/access/try-subjects.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors } from '../../store/users/second-factors.ts'
import type { Deps } from '../deps.ts'
import { wrongOwnCode } from './refusals.ts'
import { takeCode } from './take-code.ts'
import { asTry } from './as-try.ts'

/** Needs a code, so that an attacker with a stolen session cannot remove the factor. */
export async function removeSecondFactor(
  { store, keyring }: Deps,
  caller: Caller,
  code: string,
): Promise<void> {
  const { organizationId, userId } = caller
  const audit = { target: { kind: 'user', id: userId, label: caller.email ?? caller.name } }
  // Before a try is counted: without a factor there is nothing to guess.
  await store.tenant(organizationId, async (tenant) => {
    if (!(await secondFactors(tenant).find(userId))?.enabled) throw notEnabled()
  })
  const subject = codeTries(organizationId, userId)
  const removed = await asTry(store.platform, subject, async () =>
    store.tenant(organizationId, async (tenant) => {
      const person = await holdPerson(tenant, userId)
      if (!person?.mfaEnabled) throw notEnabled()
      if (!(await takeCode({ keyring }, tenant, { userId, code }))) {
        await auditLog(tenant, actorOf(caller)).record('auth.mfa_failed', {
          ...audit,
          outcome: 'failure',
        })
        return false
      }
      await secondFactors(tenant).remove(userId)
      await auditLog(tenant, actorOf(caller)).record('auth.mfa_disabled', audit)
      return true
    }),
  )
  if (!removed) throw wrongOwnCode()
}

const notEnabled = () => conflict('mfa_not_enabled', 'There is no second factor.')
