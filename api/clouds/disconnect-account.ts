import { guardedByBudgets } from '../../app/finops/guarded-by-prices.ts'
import { removeSource } from '../../app/finops/remove-source.ts'
import { noteGuardChange } from '../../app/policies/note-guard-change.ts'
import { noteChanges } from '../../app/workspaces/note-change.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { AppError, conflict } from '../../domain/errors.ts'
import { actorOf, auditLog } from '../../store/audit/audit-log.ts'
import { abandonSync } from '../../store/clouds/abandon-sync.ts'
import { accountConnections } from '../../store/clouds/account-connections.ts'
import { accountWorkspaces } from '../../store/clouds/account-workspaces.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import type { Deps } from '../deps.ts'
import { billingSources } from '../../store/finops/billing-sources.ts'
import { raiseCostVersion } from '../../store/finops/raise-cost-version.ts'
import { workspaces } from '../../store/workspaces/workspaces.ts'
import { holdingAccount } from './hold-account.ts'

type Wanted = { id: number; detach: boolean; purge: boolean }

/**
 * Disconnects an account: scrubs its credentials, and lets the task `forget-accounts` delete its
 * resources, which nobody sees from now on; `purge` deletes its cost too.
 */
export async function disconnectAccount(
  deps: Deps,
  caller: Caller,
  { id, detach, purge }: Wanted,
): Promise<void> {
  await holdingAccount(deps, caller, async (tenant) => {
    const users = accountWorkspaces(tenant, id)
    // Workspaces first, as a change of a workspace does: the other order could deadlock. All at once, since the lock
    // of one of them after that of a later one could deadlock too.
    const guarded = await guardedByBudgets(tenant)
    const held = await workspaces(tenant).holdGuarded([await users.ids(), ...guarded])
    const account = await cloudAccounts(tenant).getForUpdate(id)
    const naming = await users.ids()
    if (naming.length > 0 && !detach) throw inUse(naming.length, await users.named(10))
    if (naming.some((workspaceId) => !held.includes(workspaceId)))
      throw conflict('account_in_use', 'A workspace began to use this account just now. Try again.')
    await detachAll(tenant, caller, { id, workspaceIds: naming })
    // No bill of it is late any more, and `purge` takes its cost away: a budget may then hold a run no more.
    await noteGuardChange(tenant, caller, { what: 'bills', guarded })
    await accountConnections(tenant).disconnect(id, { purge })
    const source = purge ? await billingSources(tenant).ofAccount(id) : undefined
    if (source) await removeSource(tenant, source, actorOf(caller))
    // Nothing further is staged or merged.
    const reason = 'Ended because the account was disconnected.'
    await abandonSync(tenant, { cloudAccountId: id, reason })
    await auditLog(tenant, actorOf(caller)).record('cloud.account_disconnected', {
      target: { kind: 'cloud_account', id, label: account.name },
      detail: {
        provider: account.provider,
        accountId: account.accountId,
        detached: naming,
        purged: purge,
      },
    })
    // No more bills are expected of it, which decides states of budgets. What is removed says so itself.
    if (!source) await raiseCostVersion(tenant)
  })
}

const inUse = (count: number, some: ReadonlyArray<{ id: number; name: string }>) =>
  new AppError(
    'conflict',
    `${count} workspace(s) use this account. Give them another first, or detach them.`,
    {
      code: 'account_in_use',
      details: some.map(({ id, name }) => ({ path: `workspaces/${id}`, message: name })),
    },
  )

async function detachAll(
  tenant: Tenant,
  caller: Caller,
  { id, workspaceIds }: { id: number; workspaceIds: readonly number[] },
): Promise<void> {
  await accountWorkspaces(tenant, id).detach()
  const detail = { cloudAccountId: { from: id, to: null } }
  await auditLog(tenant, actorOf(caller)).recordEach(
    'workspace.updated',
    workspaceIds.map((workspaceId) => ({ target: { kind: 'workspace', id: workspaceId }, detail })),
  )
  await noteChanges(tenant, caller, { workspaceIds, what: 'cloudAccountId', effect: 'guard' })
}
