import { stateOfIngest, stateOfSource } from '../../domain/finops/ingest-state.ts'
import type { Tenant } from '../../store/driver/tenant.ts'
import { billingIngests } from '../../store/finops/billing-ingests.ts'
import { ingestSlices } from '../../store/finops/ingest-slices.ts'
import { ingestSources } from '../../store/finops/ingest-sources.ts'

/** After a person decided about a slice: what became of its source and of the whole is another thing now. */
export async function restateIngest(
  tenant: Tenant,
  { ingestId, sourceId }: { ingestId: number; sourceId: number },
): Promise<void> {
  const at = { ingestId, sourceId }
  const sources = ingestSources(tenant)
  const slices = await ingestSlices(tenant).list(at)
  const source = await sources.find(at)
  if (source && source.state !== 'waiting') {
    const reason = slices.find((slice) => slice.reason !== null)?.reason ?? null
    await sources.note(at, { state: stateOfSource(slices.map(({ state }) => state)), reason })
  }
  const states = (await sources.list(ingestId)).map(({ state }) => state)
  await billingIngests(tenant).restate(ingestId, stateOfIngest(states))
  await ingestSlices(tenant).countInto(ingestId)
}
