import { AppError } from '../../domain/errors.ts'
import type { FoundSlice } from '../../gateways/clouds/cloud.ts'
import { cloudAccounts } from '../../store/clouds/cloud-accounts.ts'
import type { CloudAccount } from '../../store/clouds/cloud-account-row.ts'
import { takenUploads } from '../../store/finops/taken-uploads.ts'
import { ingestSlices } from '../../store/finops/ingest-slices.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'
import { noteFound } from '../../app/finops/note-found.ts'
import type { Discovered, SourceInput } from '../../workflows/finops/contract.ts'
import { askInTime, isKind } from '../clouds/cloud-activity.ts'
import { cloudStep } from '../clouds/cloud-step.ts'
import type { Deps } from '../deps.ts'

type Needed = Pick<Deps, 'store' | 'openCloud'>
/** Each is a child of the workflow, whose history has room for some thousand events. */
const maxUploads = 50
/**
 * A query over a view takes minutes. Less than an attempt may take (workflows/finops/ingest-billing.ts): a cloud that
 * does not answer in it fails the source, and is not asked again and again while other sources wait for the slot.
 */
const maxFindMs = 4.5 * 60_000
const nothing: Discovered = { accountId: null, sliceIds: [], months: [], uploadIds: [] }

/**
 * Looks at what there is of a source: the newest months of an account by their manifests, or the uploads
 * that wait. Idempotent: a month that is being read, or was loaded from the same files, is not begun again.
 */
export const discoverBills =
  (deps: Needed) =>
  async (input: SourceInput): Promise<Discovered> =>
    cloudStep(deps, { ...input, kind: 'bills' }, async (signal) => {
      const { organizationId, ingestId, sourceId } = input
      const found = await deps.store.tenant(organizationId, async (tenant) => {
        const source = await ingestSources(tenant).findWaiting({ ingestId, sourceId })
        if (!source) return undefined
        const { cloudAccountId } = source
        if (cloudAccountId === null)
          return { uploadIds: await takenUploads(tenant).take(sourceId, ingestId, maxUploads) }
        const known = await ingestSlices(tenant).newest(sourceId)
        const again = known.filter((slice) => slice.readAgain)
        return {
          account: await cloudAccounts(tenant).get(cloudAccountId),
          also: again.map(({ period }) => period.slice(0, 7)),
        }
      })
      if (!found) return nothing
      if (!found.account) return { ...nothing, uploadIds: found.uploadIds }
      const { account, also } = found
      const looked = await find(deps, { input, account, also, signal })
      if (!looked) return nothing
      const begun = await deps.store.tenant(organizationId, async (tenant) =>
        noteFound(tenant, { ingestId, sourceId, ...looked }),
      )
      return {
        accountId: account.id,
        sliceIds: begun.map(({ id }) => id),
        months: begun.map(({ period }) => Number(period.slice(0, 7).replace('-', ''))),
        uploadIds: [],
      }
    })

type Look = { input: SourceInput; account: CloudAccount; also: string[]; signal: AbortSignal }

/** Undefined if the account has no bills to look at; the source says why. */
async function find(
  deps: Needed,
  { input, account, also, signal }: Look,
): Promise<{ found: FoundSlice[]; place: string } | undefined> {
  const cloud = await deps.openCloud(account)
  try {
    const bills = cloud.bills?.()
    if (!bills) return undefined
    const found = await askInTime(async (until) => bills.find(until, also), {
      signal,
      timeoutMs: maxFindMs,
    })
    return { found, place: bills.place }
  } catch (error) {
    const reason = reasonOf(error)
    if (reason !== undefined)
      await deps.store.tenant(input.organizationId, async (tenant) =>
        ingestSources(tenant).noteReason(input, reason),
      )
    throw error
  } finally {
    cloud.close()
  }
}

const reasonOf = (error: unknown): string | undefined => {
  if (error instanceof AppError && error.code === 'address_not_allowed')
    return 'The endpoint of the bills is at an address that is not allowed. Change it.'
  return isKind(error, 'denied', 'excluded', 'credentials', 'unreachable', 'throttled')
    ? error.message
    : undefined
}
