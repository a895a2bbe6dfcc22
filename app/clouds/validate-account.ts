import { maxId } from '../../domain/max-id.ts'
import {
  nextValidationMs,
  statusAfter,
  type Validated,
} from '../../domain/clouds/account-status.ts'
import type { AccountCheck } from '../../domain/clouds/cloud-account.ts'
import { reasonOfPlaces } from '../../domain/clouds/sync-state.ts'
import { AppError } from '../../domain/errors.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import { accountValidations } from '../../store/clouds/account-validations.ts'
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
  const account = await deps.store.tenant(organizationId, async (tenant) => {
    // Locked before the syncs are read: one that ends meanwhile would find the account as it was, and so would this.
    const now = await accountValidations(tenant).hold(id)
    // Changed meanwhile: it is validated again by itself.
    if (now.version !== before.version) return now
    const after = await store(tenant, { before, now, validated })
    return validated.outcome === 'answered' ? endPause(tenant, after) : after
  })
  return { ...validated, account, refusal }
}

async function store(
  tenant: Tenant,
  { before, now, validated }: { before: CloudAccount; now: CloudAccount; validated: Validated },
): Promise<CloudAccount> {
  const checks = await standing(tenant, now, validated.checks)
  const finding = statusAfter(now, { ...validated, checks })
  const delayMs = nextValidationMs(finding, now.syncIntervalMinutes, validated.unanswered)
  const plannedAt = new Date(Date.now() + delayMs)
  // A workspace or a sync asked for another one while the cloud was asked.
  const isAskedFor = now.nextValidationAt.getTime() !== before.nextValidationAt.getTime()
  const isSooner = isAskedFor && now.nextValidationAt < plannedAt
  const after = await cloudAccounts(tenant).note(now, {
    ...finding,
    validatedAt: new Date(),
    nextValidationAt: isSooner ? now.nextValidationAt : plannedAt,
  })
  // The row is locked.
  if (!after) throw new Error('an account was changed under its lock')
  if (after.status !== now.status)
    await auditLog(tenant, systemActor).record('cloud.account_status_changed', {
      target: { kind: 'cloud_account', id: after.id, label: after.name },
      detail: { from: now.status, to: after.status, reason: after.statusReason },
    })
  return after
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
    return { ...(await cloud.validate(AbortSignal.timeout(limitMs))), refusal: undefined }
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
 * sync has looked; otherwise the account would be well and unwell by turns, with a mail each time. A new account has
 * no checks yet, and its first sync may have ended before its first validation.
 */
async function standing(
  tenant: Tenant,
  account: CloudAccount,
  checks: AccountCheck[],
): Promise<AccountCheck[]> {
  const failed = account.checks.find(
    ({ part, state }) => part === 'inventory' && state === 'failed',
  )
  const isNew = account.checks.length === 0
  if (!failed && !isNew) return checks
  const reason = await reasonOfNewest(tenant, account, isNew)
  if (reason === null || (failed && reason !== failed.reason)) return checks
  return checks.map((check) =>
    check.part === 'inventory' && check.state === 'ok'
      ? { ...check, state: 'failed', reason, missing: [] }
      : check,
  )
}

/** What the newest sync that ended could not look at; of a new account only one that began with its settings. */
async function reasonOfNewest(
  tenant: Tenant,
  { id, updatedAt }: CloudAccount,
  isNew: boolean,
): Promise<string | null> {
  const newest = await cloudSyncs(tenant).list(id, 2, maxId)
  const ended = newest.find(({ state }) => state !== 'running')
  if (!ended) return null
  // Without a reason of its own a sync looked. A change ends the live one, which then ended before it.
  const isOfNow = ended.reason === null && ended.endedAt !== null && ended.endedAt > updatedAt
  if (isNew && !isOfNow) return null
  const places = await syncPlaces(tenant).list(ended.id)
  return reasonOfPlaces(
    places.flatMap(({ state, ...place }) => (state === 'waiting' ? [] : [{ ...place, state }])),
  )
}
