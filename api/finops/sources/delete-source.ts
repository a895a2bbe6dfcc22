import { guardedByBudgets } from '../../../app/finops/guarded-by-prices.ts'
import { removeSource } from '../../../app/finops/remove-source.ts'
import { noteGuardChange } from '../../../app/policies/note-guard-change.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { conflict } from '../../../domain/errors.ts'
import { actorOf } from '../../../store/audit/audit-log.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import type { Deps } from '../../deps.ts'

/**
 * Deletes the source of uploads with its cost. That can take a budget below its amount: without authorship, whoever
 * deletes it could approve the run that the budget has held.
 */
export async function deleteSource({ store }: Deps, caller: Caller, id: number): Promise<void> {
  await store.tenant(caller.organizationId, async (tenant) => {
    const source = await billingSources(tenant).get(id)
    if (source.cloudAccountId !== null) throw ofAccount(source.cloudAccountId)
    await noteGuardChange(tenant, caller, {
      what: 'bills',
      guarded: await guardedByBudgets(tenant),
    })
    await removeSource(tenant, source, actorOf(caller))
  })
}

const ofAccount = (accountId: number) =>
  conflict(
    'source_of_account',
    'This is the source of a cloud account. Its cost goes with the account, if that is disconnected with its data.',
    accountId,
  )
