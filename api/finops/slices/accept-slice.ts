import { openAccount } from '../../../app/clouds/open-account.ts'
import { acceptSlice as accept } from '../../../app/finops/decide-slice.ts'
import { restateIngest } from '../../../app/finops/restate-ingest.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { AppError, conflict } from '../../../domain/errors.ts'
import { CloudFault } from '../../../gateways/clouds/cloud-fault.ts'
import { actorOf } from '../../../store/audit/audit-log.ts'
import { cloudAccounts } from '../../../store/clouds/cloud-accounts.ts'
import { billingSlices } from '../../../store/finops/billing-slices.ts'
import { billingSources } from '../../../store/finops/billing-sources.ts'
import { accountDeps } from '../../clouds/account-deps.ts'
import type { Deps } from '../../deps.ts'
import { presentIngest } from '../ingests/present-ingest.ts'
import type { IngestBody } from '../ingests/schemas.ts'

const limitMs = 10_000

/** Accepts a suspect slice, unless its cloud has another export by now. Answers its ingest. */
export async function acceptSlice(
  deps: Deps,
  caller: Caller,
  sliceId: number,
): Promise<IngestBody> {
  const { organizationId, userId } = caller
  if (await isAnother(deps, { organizationId, sliceId }))
    throw conflict(
      'export_changed',
      'The export is another one by now. The next ingest looks at it; accept that one if it is right.',
    )
  return deps.store.tenant(organizationId, async (tenant) => {
    const slice = await accept(tenant, sliceId, { actor: actorOf(caller), userId })
    await restateIngest(tenant, slice)
    return presentIngest(tenant, slice.ingestId)
  })
}

/** False where the cloud does not say: what was looked at is in the store, and is loaded as it was seen. */
async function isAnother(
  deps: Deps,
  { organizationId, sliceId }: { organizationId: number; sliceId: number },
): Promise<boolean> {
  const { slice, account } = await deps.store.tenant(organizationId, async (tenant) => {
    const found = await billingSlices(tenant).get(sliceId)
    const source = await billingSources(tenant).get(found.sourceId)
    const id = source.cloudAccountId
    return { slice: found, account: id === null ? undefined : await cloudAccounts(tenant).get(id) }
  })
  if (!account?.billing || slice.state !== 'suspect') return false
  const cloud = await openAccount(accountDeps(deps), account)
  try {
    // A suspect month may be older than the newest.
    const months = [slice.period.slice(0, 7)]
    const found = await cloud.bills?.()?.find(AbortSignal.timeout(limitMs), months)
    const now = found?.find(({ period }) => slice.period.startsWith(period))
    return now !== undefined && now.state === 'ready' && now.hash !== slice.manifestHash
  } catch (error) {
    if (error instanceof CloudFault || error instanceof AppError) return false
    if (error instanceof Error && error.name === 'TimeoutError') return false
    throw error
  } finally {
    cloud.close()
  }
}
