import type { Caller } from '../../domain/access/caller.ts'
import { newRecoveryCodes, stepOfCode } from '../../domain/access/second-factor.ts'
import { codeTries } from '../../domain/access/try-subjects.ts'
import { conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { signIn } from '../../store/platform/sign-in.ts'
import { holdPerson } from '../../store/users/hold-person.ts'
import { secondFactors } from '../../store/users/second-factors.ts'
import type { Deps } from '../deps.ts'
import { wrongOwnCode } from './refusals.ts'
import { secretPlace } from './take-code.ts'
import { takeTry } from './take-try.ts'

/** From now on the password alone does not sign in. The recovery codes are shown here and never again. */
export async function activateSecondFactor(
  { store, keyring }: Deps,
  caller: Caller,
  code: string,
): Promise<string[]> {
  const { organizationId, userId } = caller
  const subject = codeTries(organizationId, userId)
  await takeTry(store.platform, subject)
  const recovery = newRecoveryCodes()
  await store.tenant(organizationId, async (db) => {
    const person = await holdPerson(db, organizationId, userId)
    if (person?.mfaEnabled) throw conflict('mfa_enabled', 'A second factor is active already.')
    const factors = secondFactors(db, organizationId)
    const factor = await factors.find(userId)
    if (!factor) throw conflict('mfa_not_enrolled', 'Enroll first, then send a code of the app.')
    const secret = keyring.open(secretPlace(organizationId), factor.secret).toString()
    const step = stepOfCode(secret, code)
    // The step is taken here too: the code that activates does not sign in afterwards.
    if (step === undefined || !(await factors.takeStep(userId, step))) throw wrongOwnCode()
    await factors.activate(userId, recovery.hashes)
    await auditLog(db, organizationId, actorOf(caller)).record('auth.mfa_enabled', {
      target: { kind: 'user', id: userId, label: caller.email ?? caller.name },
    })
  })
  await signIn(store.platform).clearTries(subject)
  return recovery.plain
}
