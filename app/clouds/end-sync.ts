import { isDeepStrictEqual } from 'node:util'
import type { AccountCheck } from '../../domain/clouds/cloud-account.ts'
import { statusAfter } from '../../domain/clouds/account-status.ts'
import { readsSomeTypes } from '../../domain/clouds/coverage-words.ts'
import { nextSync } from '../../domain/clouds/next-sync.ts'
import { reasonOfPlaces, stateOfSync } from '../../domain/clouds/sync-state.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { AccountFinding, CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs, type CloudSync } from '../../store/clouds/cloud-syncs.ts'
import { syncPlans } from '../../store/clouds/sync-plans.ts'
import { syncPlaces } from '../../store/clouds/sync-places.ts'
import type { Tenant } from '../../store/driver/tenant.ts'

/** Why a sync could not look at anything: the code of the fault. */
export type SyncFailure = string | null

const reasons: Record<string, string> = {
  cloud_credentials_rejected: 'The cloud rejects the credentials of the account. Replace them.',
  cloud_unreachable: 'The cloud does not answer. It is asked again by itself.',
  cloud_denied: 'The credentials may not list what there is.',
  address_not_allowed:
    'The endpoint of this account, or where it redirects to, is an address that is not allowed. Change it.',
  cloud_throttled: 'The cloud limits how often it may be called. The next sync tries again.',
  timed_out: 'The cloud took too long to answer. The next sync tries again.',
  sync_lost: 'The sync was lost. The next one looks at everything again.',
}
const refused = 'cloud_credentials_rejected'
/** Faults whose reason the activity noted, in the words of the account's cloud. */
const noted = new Set([
  refused,
  'cloud_unreachable',
  'cloud_denied',
  'cloud_fault',
  'cloud_throttled',
  'timed_out',
])

/**
 * Ends a sync and says what it means for its account. Idempotent: only the call that ends the row
 * changes the account.
 */
export async function endSync(
  tenant: Tenant,
  { syncId, failure }: { syncId: number; failure: SyncFailure },
): Promise<void> {
  const syncs = cloudSyncs(tenant)
  const sync = await syncs.find(syncId)
  if (!sync || sync.state !== 'running') return
  const account = await syncPlans(tenant).findForUpdate(sync.cloudAccountId)
  const reason = failure === null ? null : reasonOf(failure, sync)
  const places = syncPlaces(tenant)
  for (const { placeId, state, reason: delay } of await places.list(syncId))
    // Not merged: without credentials nothing is known of it.
    if (state === 'waiting')
      await places.drop(
        { syncId, placeId },
        { state: 'failed', reason: reason ?? delay ?? reasonOf('internal') },
      )
  const ended = (await places.list(syncId)).map((place) => ({
    ...place,
    state: place.state === 'waiting' ? ('failed' as const) : place.state,
  }))
  const state = failure === null ? stateOfSync(ended) : 'failed'
  if (!(await syncs.end(syncId, { state, reason })) || !account) return
  await syncPlans(tenant).countResources(account.id)
  const partial = partialReason(sync, account)
  await noteAccount(tenant, { account, failure, reason, short: reasonOfPlaces(ended), partial })
  await auditLog(tenant, systemActor).record('cloud.account_synced', {
    outcome: state === 'failed' ? 'failure' : 'success',
    target: { kind: 'cloud_account', id: account.id, label: account.name },
    detail: { syncId, trigger: sync.trigger, state, ...countsOf(await syncs.find(syncId)) },
  })
}

const reasonOf = (failure: string, sync?: CloudSync): string =>
  (noted.has(failure) ? sync?.reason : undefined) ??
  reasons[failure] ??
  'A fault on our side. The next sync looks at everything again.'

/** Why not all is listed. Of an index that is not used, only a validation says why: that stands as long as it holds. */
function partialReason({ coverage }: CloudSync, { checks }: CloudAccount): string | null {
  if (coverage === 'partial') return readsSomeTypes
  if (coverage !== 'tagged_only') return null
  const inventory = checks.find(({ part }) => part === 'inventory')
  return inventory?.state === 'ok' ? inventory.reason : null
}

const countsOf = (sync: CloudSync | undefined) =>
  sync && { seen: sync.seen, added: sync.added, changed: sync.changed, gone: sync.gone }

async function noteAccount(
  tenant: Tenant,
  found: {
    account: CloudAccount
    failure: SyncFailure
    reason: string | null
    short: string | null
    partial: string | null
  },
): Promise<void> {
  const { account, failure, reason, short, partial } = found
  const accounts = cloudAccounts(tenant)
  const refusedSyncs = failure === refused ? account.refusedSyncs + 1 : 0
  if (refusedSyncs !== account.refusedSyncs) {
    const nextSyncAt = nextSync(new Date(), { ...account, refusedSyncs })
    await syncPlans(tenant).plan(account.id, nextSyncAt, refusedSyncs)
  }
  const outcome = outcomes[failure ?? 'ended']
  // A new account is what its validation says.
  if (account.status === 'pending' || !outcome) return
  const checks =
    outcome === 'answered'
      ? checksAfter(account, { short: short ?? reason, partial })
      : outcome === 'rejected'
        ? account.checks.map((check) => afterRefusal(check, reason))
        : account.checks
  const finding = statusAfter(findingOf(account), { outcome, checks, reason })
  if (isDeepStrictEqual(finding, findingOf(account))) return
  // A refusal says nothing of the parts that only a validation asks for.
  const wasRefused = ['invalid_credentials', 'unreachable'].includes(account.status)
  const isDue = outcome === 'answered' && wasRefused
  const after = await accounts.note(account, {
    ...finding,
    ...(isDue && { nextValidationAt: new Date() }),
  })
  if (!after || after.status === account.status) return
  await auditLog(tenant, systemActor).record('cloud.account_status_changed', {
    target: { kind: 'cloud_account', id: account.id, label: account.name },
    detail: { from: account.status, to: after.status, reason: after.statusReason },
  })
}

/** What a sync proves of its account. A fault on our side proves nothing. */
const outcomes: Record<string, 'answered' | 'rejected' | 'unreachable'> = {
  ended: 'answered',
  cloud_denied: 'answered',
  cloud_fault: 'answered',
  cloud_unreachable: 'unreachable',
  address_not_allowed: 'unreachable',
  [refused]: 'rejected',
}

const findingOf = ({
  status,
  statusReason,
  checks,
  failedTries,
  lateTries,
}: CloudAccount): AccountFinding => ({
  status,
  statusReason,
  checks,
  failedTries,
  lateTries,
})

/** With credentials that are refused no part works. */
const afterRefusal = (check: AccountCheck, reason: string | null): AccountCheck =>
  check.state === 'off' ? check : { part: check.part, state: 'failed', reason, missing: [] }

/**
 * A sync that looked proves the identity; what it could not look at is a fault of the inventory. What a
 * validation found missing stays missing, since a sync lists what it can without.
 */
function checksAfter(
  { status, checks }: Pick<CloudAccount, 'status' | 'checks'>,
  { short, partial }: { short: string | null; partial: string | null },
): AccountCheck[] {
  const of = (part: AccountCheck['part']) => checks.find((check) => check.part === part)
  const ok = { state: 'ok' as const, reason: null, missing: [] }
  const identity = status === 'degraded' ? of('identity') : undefined
  const inventory = of('inventory')
  const found: AccountCheck[] = [identity ?? { part: 'identity', ...ok }]
  if (short !== null) found.push({ part: 'inventory', state: 'failed', reason: short, missing: [] })
  else if (status === 'degraded' && inventory?.state === 'missing') found.push(inventory)
  else found.push({ part: 'inventory', ...ok, reason: partial })
  return [...found, ...checks.filter(({ part }) => part !== 'identity' && part !== 'inventory')]
}
