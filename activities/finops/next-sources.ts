import { ingestSources } from '../../store/finops/ingest-sources.ts'
import type { IngestInput } from '../../workflows/finops/contract.ts'
import type { Deps } from '../deps.ts'

/** Then the workflow may continue as new: a history has room for some thousand events. */
const atOnce = 50

type Next = {
  sourceIds: number[]
  /** Bills that it may have under way at once. */
  billsAtOnce: number
}

/** The sources that this ingest has to look at next. */
export const nextSources =
  ({ store, billPlaces }: Pick<Deps, 'store' | 'billPlaces'>) =>
  async ({ organizationId, ingestId }: IngestInput): Promise<Next> => ({
    billsAtOnce: billPlaces.ofOrganization,
    sourceIds: await store.tenant(organizationId, async (tenant) =>
      ingestSources(tenant).waiting(ingestId, atOnce),
    ),
  })
