import {
  nextValidationMs,
  statusAfter,
  type Validated,
} from '../../domain/clouds/account-status.ts'
import { AppError } from '../../domain/errors.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { openAccount, type AccountDeps } from './open-account.ts'

export type AccountValidation = Validated & {
  account: CloudAccount
  /** The account's endpoint is at an address that is not allowed. */
  refusal: AppError | undefined
}

const limitMs = 10_000

/** Asks the cloud whether an account's credentials may do what the account is for, and stores it. */
export async function validateAccount(
  deps: AccountDeps,
  { organizationId, id }: { organizationId: number; id: number },
): Promise<AccountValidation> {
  const before = await deps.store.tenant(organizationId, async (tenant) =>
    cloudAccounts(tenant).get(id),
  )
  const { refusal, ...validated } = await ask(deps, before)
  const finding = statusAfter(before, validated)
  const account = await deps.store.tenant(organizationId, async (tenant) => {
    const accounts = cloudAccounts(tenant)
    const delayMs = nextValidationMs(finding, before.syncIntervalMinutes)
    const after = await accounts.note(before, {
      ...finding,
      validatedAt: new Date(),
      nextValidationAt: new Date(Date.now() + delayMs),
    })
    if (after && after.status !== before.status)
      await auditLog(tenant, systemActor).record('cloud.account_status_changed', {
        target: { kind: 'cloud_account', id, label: after.name },
        detail: { from: before.status, to: after.status, reason: after.statusReason },
      })
    // Changed meanwhile: it is validated again by itself.
    return after ?? accounts.get(id)
  })
  return { ...validated, account, refusal }
}

async function ask(
  deps: AccountDeps,
  account: CloudAccount,
): Promise<Validated & { refusal: AppError | undefined }> {
  const cloud = await openAccount(deps, account)
  try {
    const { checks, outcome, reason } = await cloud.validate(AbortSignal.timeout(limitMs))
    return { checks, outcome, reason, refusal: undefined }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'address_not_allowed') throw error
    const reason =
      'The endpoint of this account, or where it redirects to, is an address that is not allowed. Change it.'
    return { checks: account.checks, outcome: 'unreachable', reason, refusal: error }
  } finally {
    cloud.close()
  }
}
