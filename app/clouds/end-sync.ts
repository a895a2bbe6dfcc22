import { isDeepStrictEqual } from 'node:util'
import type { AccountCheck } from '../../domain/clouds/cloud-account.ts'
import { statusAfter } from '../../domain/clouds/account-status.ts'
import { nextSync } from '../../domain/clouds/next-sync.ts'
import { reasonOfPlaces, stateOfSync } from '../../domain/clouds/sync-state.ts'
import { auditLog, systemActor } from '../../store/audit/audit-log.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
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
  sync_lost: 'The sync was lost. The next one looks at everything again.',
}
const refused = 'cloud_credentials_rejected'

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
  const places = syncPlaces(tenant)
  for (const { placeId, state } of await places.list(syncId))
    // Not merged: without credentials nothing is known of it.
    if (state === 'waiting')
      await places.drop(
        { syncId, placeId },
        { state: 'failed', reason: reasonOf(failure ?? 'internal') },
      )
  const ended = (await places.list(syncId)).map((place) => ({
    ...place,
    state: place.state === 'waiting' ? ('failed' as const) : place.state,
  }))
  const state = failure === null ? stateOfSync(ended) : 'failed'
  const reason = failure === null ? null : reasonOf(failure)
  if (!(await syncs.end(syncId, { state, reason })) || !account) return
  await syncPlans(tenant).countResources(account.id)
  await noteAccount(tenant, { account, failure, short: reasonOfPlaces(ended) })
  await auditLog(tenant, systemActor).record('cloud.account_synced', {
    outcome: state === 'failed' ? 'failure' : 'success',
    target: { kind: 'cloud_account', id: account.id, label: account.name },
    detail: { syncId, trigger: sync.trigger, state, ...countsOf(await syncs.find(syncId)) },
  })
}

const reasonOf = (failure: string): string =>
  reasons[failure] ?? 'A fault on our side. The next sync looks at everything again.'

const countsOf = (sync: CloudSync | undefined) =>
  sync && { seen: sync.seen, added: sync.added, changed: sync.changed, gone: sync.gone }

async function noteAccount(
  tenant: Tenant,
  found: { account: CloudAccount; failure: SyncFailure; short: string | null },
): Promise<void> {
  const { account, failure, short } = found
  const accounts = cloudAccounts(tenant)
  const refusedSyncs = failure === refused ? account.refusedSyncs + 1 : 0
  if (refusedSyncs !== account.refusedSyncs) {
    const nextSyncAt = nextSync(new Date(), { ...account, refusedSyncs })
    await syncPlans(tenant).plan(account.id, nextSyncAt, refusedSyncs)
  }
  const outcome = outcomes[failure ?? 'ended']
  // A new account is what its validation says.
  if (account.status === 'pending' || !outcome) return
  const denied = failure === null ? null : reasonOf(failure)
  const checks =
    outcome === 'answered' ? checksAfter(account.checks, short ?? denied) : account.checks
  const finding = statusAfter(findingOf(account), { outcome, checks, reason: denied })
  if (isDeepStrictEqual(finding, findingOf(account))) return
  const after = await accounts.note(account, finding)
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
  cloud_unreachable: 'unreachable',
  [refused]: 'rejected',
}

const findingOf = ({ status, statusReason, checks, failedTries }: CloudAccount) => ({
  status,
  statusReason,
  checks,
  failedTries,
})

/** A sync that looked proves the identity; what it could not look at is a fault of the inventory. */
function checksAfter(checks: readonly AccountCheck[], short: string | null): AccountCheck[] {
  const found: AccountCheck[] = [
    { part: 'identity', state: 'ok', reason: null, missing: [] },
    short === null
      ? { part: 'inventory', state: 'ok', reason: null, missing: [] }
      : { part: 'inventory', state: 'failed', reason: short, missing: [] },
  ]
  return [...found, ...checks.filter(({ part }) => part !== 'identity' && part !== 'inventory')]
}
