import { whyNotIngested } from '../../domain/finops/may-ingest.ts'
import type { IngestTrigger } from '../../domain/finops/ingest-state.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { ingestPlans } from '../../store/finops/ingest-plans.ts'
import { readAgain } from '../../store/finops/read-again.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'

/** Which accounts a trigger looks at. Uploads that wait are always read. */
const accountsOf = { schedule: 'due', connect: 'due', request: 'all', upload: 'none' } as const

/** Notes the sources that an ingest is to look at. True if there are any. */
export async function planRound(
  tenant: Tenant,
  { ingestId, trigger }: { ingestId: number; trigger: IngestTrigger },
): Promise<boolean> {
  const plans = ingestPlans(tenant)
  const which = accountsOf[trigger]
  if (which !== 'none') {
    const accounts = await plans.accounts(which)
    const planned = accounts.map((account) => ({
      id: account.id,
      skipped: whyNotIngested(account),
    }))
    await plans.addAccounts(ingestId, planned)
  }
  if (trigger === 'request') await readAgain(tenant).giveUploads()
  await plans.addUploads(ingestId)
  return (await ingestSources(tenant).waiting(ingestId, 1)).length > 0
}
