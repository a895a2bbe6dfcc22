import {
  nextValidationMs,
  statusAfter,
  type Validated,
} from '../../domain/clouds/account-status.ts'
import type { AccountCheck } from '../../domain/clouds/cloud-account.ts'
import { reasonOfPlaces } from '../../domain/clouds/sync-state.ts'
import { AppError } from '../../domain/errors.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs } from '../../store/clouds/cloud-syncs.ts'
import { syncPlaces } from '../../store/clouds/sync-places.ts'
import { syncPlans } from '../../store/clouds/sync-plans.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
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
  const checks = await deps.store.tenant(organizationId, async (tenant) =>
    standing(tenant, before, validated.checks),
  )
  const finding = statusAfter(before, { ...validated, checks })
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
    if (!after) return accounts.get(id)
    return validated.outcome === 'answered' ? endPause(tenant, after) : after
  })
  return { ...validated, account, refusal }
}

/** Each refused sync doubled the pause until the next one. The cloud takes the credentials again, so it ends. */
async function endPause(tenant: Tenant, account: CloudAccount): Promise<CloudAccount> {
  if (account.refusedSyncs === 0) return account
  await syncPlans(tenant).plan(account.id, new Date(), 0)
  return cloudAccounts(tenant).get(account.id)
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

/**
 * A validation asks about one place. What the last sync could not look at elsewhere stands until another
 * sync has looked; otherwise the account would be well and unwell by turns, with a mail each time.
 */
async function standing(
  tenant: Tenant,
  { id, checks: before }: CloudAccount,
  checks: AccountCheck[],
): Promise<AccountCheck[]> {
  const failed = before.find(({ part, state }) => part === 'inventory' && state === 'failed')
  if (!failed) return checks
  const newest = await cloudSyncs(tenant).list(id, 2, maxId)
  const ended = newest.find(({ state }) => state !== 'running')
  const places = ended ? await syncPlaces(tenant).list(ended.id) : []
  const over = places.flatMap(({ state, ...place }) =>
    state === 'waiting' ? [] : [{ ...place, state }],
  )
  if (reasonOfPlaces(over) !== failed.reason) return checks
  return checks.map((check) =>
    check.part === 'inventory' && check.state === 'ok' ? failed : check,
  )
}

const maxId = 2 ** 31 - 1
