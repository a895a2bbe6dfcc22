import { noteChange } from '../../app/workspaces/note-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { accountConnections } from '../../store/clouds/account-connections.ts'
import { accountWorkspaces } from '../../store/clouds/account-workspaces.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import { cloudSyncs } from '../../store/clouds/cloud-syncs.ts'
import { forgetResources } from '../../store/clouds/forget-resources.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import { holdingAccount } from './hold-account.ts'

type Wanted = { id: number; detach: boolean; purge: boolean }

/** Disconnects an account: scrubs its credentials and resources; `purge` deletes its cost too. */
export async function disconnectAccount(deps: Deps, caller: Caller, wanted: Wanted): Promise<void> {
  try {
    await disconnect(deps, caller, wanted)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'account_busy') throw error
    await endLiveSync(deps, caller, wanted.id)
    throw conflict(
      'account_busy',
      'What a sync found is being stored. The sync ends now. Try again in a minute.',
    )
  }
}

/** So that nothing further is merged, and the next try succeeds. */
async function endLiveSync(deps: Deps, caller: Caller, id: number): Promise<void> {
  await holdingAccount(deps, caller, async (tenant) => {
    const syncs = cloudSyncs(tenant)
    const sync = await syncs.live(id)
    const reason = 'Ended because the account was to be disconnected.'
    if (sync) await syncs.end(sync.id, { state: 'failed', reason })
  })
}

async function disconnect(
  deps: Deps,
  caller: Caller,
  { id, detach, purge }: Wanted,
): Promise<void> {
  await holdingAccount(deps, caller, async (tenant) => {
    const workspaces = accountWorkspaces(tenant, id)
    // Workspaces first, as whoever changes one does: the other order could deadlock.
    const held = await workspaces.hold()
    const account = await cloudAccounts(tenant).getForUpdate(id)
    const naming = await workspaces.ids()
    if (naming.length > 0 && !detach)
      throw conflict(
        'account_in_use',
        `${naming.length} workspace(s) use this account. Give them another first, or detach them.`,
      )
    if (naming.some((workspaceId) => !held.includes(workspaceId)))
      throw conflict('account_in_use', 'A workspace began to use this account just now. Try again.')
    await detachAll(tenant, caller, { id, workspaceIds: naming })
    if (purge) await accountConnections(tenant).purge(id)
    else await accountConnections(tenant).disconnect(id)
    await forgetResources(tenant, id)
    await auditLog(tenant, actorOf(caller)).record('cloud.account_disconnected', {
      target: { kind: 'cloud_account', id, label: account.name },
      detail: {
        provider: account.provider,
        accountId: account.accountId,
        detached: naming,
        purged: purge,
      },
    })
  })
}

async function detachAll(
  tenant: Tenant,
  caller: Caller,
  { id, workspaceIds }: { id: number; workspaceIds: readonly number[] },
): Promise<void> {
  await accountWorkspaces(tenant, id).detach()
  for (const workspaceId of workspaceIds) {
    await auditLog(tenant, actorOf(caller)).record('workspace.updated', {
      target: { kind: 'workspace', id: workspaceId },
      detail: { cloudAccountId: { from: id, to: null } },
    })
    await noteChange(tenant, caller, { workspaceId, what: 'cloudAccountId', effect: 'guard' })
  }
}
