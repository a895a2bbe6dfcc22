import type { Logger } from 'pino'
import type { AccountDeps } from '../../app/clouds/open-account.ts'
import { validateAccount } from '../../app/clouds/validate-account.ts'
import { eachByItself } from '../../app/platform/each-by-itself.ts'
import { claimValidations } from '../../store/platform/claim-validations.ts'
import type { RecurringTask } from '../run-tasks.ts'

/** Each takes 10 s at most. */
const atOnce = 20

/** Validates accounts that were just connected or changed, and the others from time to time. */
export const validateAccountsTask = (
  deps: AccountDeps & { log: Pick<Logger, 'warn'> },
): RecurringTask => ({
  name: 'validate-accounts',
  everyMs: 1_000,
  async run() {
    const due = await claimValidations(deps.store.platform, atOnce)
    await eachByItself(due, {
      task: 'validate-accounts',
      log: deps.log,
      atOnce,
      work: async ({ organizationId, accountId }) =>
        validateAccount(deps, { organizationId, id: accountId }),
    })
    return due.length === atOnce ? 'more' : 'done'
  },
})
