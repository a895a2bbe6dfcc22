import { isDeepStrictEqual } from 'node:util'
import { startSync } from '../../app/clouds/start-sync.ts'
import { noteChanges } from '../../app/workspaces/note-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { assertLendable } from '../../domain/clouds/check-runs.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import type { CloudAccount, CloudAccountChange } from '../../store/clouds/cloud-account-row.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { accountWorkspaces } from '../../store/clouds/account-workspaces.ts'
import { billingPlaces } from '../../store/clouds/billing-places.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs } from '../../store/clouds/cloud-syncs.ts'
import { cloudIdentity } from '../../store/clouds/cloud-identity.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import { credentialColumns, settingColumns } from './account-columns.ts'
import { assertEndpointsTrusted } from './assert-endpoints-trusted.ts'
import { assertOwnExternalId } from './assert-own-external-id.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { holdingAccount } from './hold-account.ts'
import { presentAccount } from './present-account.ts'
import { refuseSameExport } from './refuse-same-export.ts'
import type { CloudAccountBody, CloudAccountChangeBody } from './schemas.ts'

/** Changes an account. What its validation depends on makes it `pending` until it is validated anew. */
export async function changeAccount(
  deps: Deps,
  caller: Caller,
  { id, change }: { id: number; change: CloudAccountChangeBody },
): Promise<CloudAccountBody> {
  const { organizationId } = caller
  const { credentials, externalId: repeated, ...settings } = change
  await checkEndpoints({ outbound: deps.outbound, organizationId }, change)
  return holdingAccount(deps, caller, async (tenant) => {
    const accounts = cloudAccounts(tenant)
    if (namesBills.some((setting) => settings[setting])) await billingPlaces(tenant).hold()
    // Workspaces first, as a change of a workspace does: the other order could deadlock.
    const mayChangeLent = change.runs !== undefined || credentials !== undefined
    const users = mayChangeLent ? await accountWorkspaces(tenant, id).hold() : []
    const before = await accounts.getForUpdate(id)
    const { externalId } = await cloudIdentity(tenant)
    assertOwnExternalId(externalId, repeated)
    const context = { keyring: deps.keyring, organizationId, provider: before.provider }
    const columns = changedColumns(before, {
      ...settingColumns(context, settings),
      ...(credentials && credentialColumns(context, credentials)),
    })
    const sent = { credentials: Boolean(credentials), billing: Boolean(settings.billing) }
    assertLendable({ ...before, ...columns })
    assertEndpointsTrusted({ ...before, ...columns }, { before, sent }, deps.outbound.rules)
    const changed = Object.keys(columns)
    if (changed.length === 0) return presentAccount(tenant, deps, before)
    const again = changed.some((column) => revalidated.has(column))
    // The bills are looked at by the new interval from now on.
    const nextIngest = changed.includes('ingestIntervalHours') && { nextIngestAt: new Date() }
    const after = await accounts.update(id, { ...columns, ...nextIngest }, again)
    if (namesBills.some((setting) => changed.includes(setting)))
      await refuseSameExport(tenant, after)
    await auditLog(tenant, actorOf(caller)).record('cloud.account_updated', {
      target: { kind: 'cloud_account', id, label: after.name },
      detail: detailOf(before, after, changed),
    })
    if (changesLent(after, changed)) await noteIdentities(tenant, caller, users)
    // A sync that began with other settings may not merge: what these do not show would count as gone.
    const lists = changed.some((column) => column !== 'runs' && revalidated.has(column))
    if (lists) await endLiveSync(tenant, id)
    if (lists) await startSync(tenant, { cloudAccountId: id, trigger: 'connect' })
    const account = await presentAccount(tenant, deps, again ? await accounts.get(id) : after)
    // Whether more bills are expected of it decides states of budgets.
    if ((before.billing === null) !== (after.billing === null)) await raiseCostVersion(tenant)
    return account
  })
}

/**
 * Whether runs are lent other identities from now on. `account` is what the account signs in with, so other credentials
 * are another identity: otherwise their author could widen what an approved apply may do.
 */
const changesLent = ({ runs }: CloudAccount, changed: readonly string[]): boolean =>
  changed.includes('runs') ||
  (changed.includes('credentials') && Object.values(runs ?? {}).includes('account'))

/** An approval was given for a run with the identities from before. */
async function noteIdentities(
  tenant: Tenant,
  caller: Caller,
  workspaceIds: readonly number[],
): Promise<void> {
  const what = 'identities of the cloud account'
  await noteChanges(tenant, caller, { workspaceIds, what, effect: 'guard' })
}

async function endLiveSync(tenant: Tenant, id: number): Promise<void> {
  const syncs = cloudSyncs(tenant)
  const sync = await syncs.live(id)
  const reason = 'Ended because the account was changed. Another sync follows.'
  if (sync) await syncs.end(sync.id, { state: 'failed', reason })
}

/** The settings that say which bills the account has. */
const namesBills = ['billing', 'endpoint', 'endpoints'] as const

const revalidated = new Set(['credentials', 'billing', 'regions', 'endpoint', 'endpoints', 'runs'])

/** Only the differences. What is sealed cannot be compared, so sending it is a change. */
function changedColumns(before: CloudAccount, sent: CloudAccountChange): CloudAccountChange {
  const sealed = new Set(['credentials', 'billing'])
  return Object.fromEntries(
    Object.entries(sent).filter(
      ([column, value]) =>
        (sealed.has(column) && value !== null) ||
        !isDeepStrictEqual(before[column as keyof CloudAccountChange], value),
    ),
  )
}

/** Of what is secret only that it was replaced. */
function detailOf(before: CloudAccount, after: CloudAccount, changed: readonly string[]) {
  const shown: ReadonlyArray<keyof CloudAccount> = [
    'name',
    'credentialsKind',
    'billingShown',
    'regions',
    'endpoint',
    'endpoints',
    'runs',
    'syncIntervalMinutes',
    'ingestIntervalHours',
  ]
  return {
    ...Object.fromEntries(
      shown
        .filter((field) => changed.includes(field))
        .map((field) => [field, { from: before[field], to: after[field] }]),
    ),
    replaced: ['credentials', 'billing'].filter((field) => changed.includes(field)),
  }
}
