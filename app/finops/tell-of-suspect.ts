import type { Tenant } from '../../store/driver/tenant.ts'
import type { LoadedSlice } from '../../store/finops/billing-slices.ts'
import { sourceHealth } from '../../store/finops/source-health.ts'
import { announce } from '../notifications/announce.ts'
import { scopeOfSource } from './tell-of-source.ts'

/** Announces a slice that waits for a person; in the transaction that makes it suspect. */
export async function tellOfSuspect(
  tenant: Tenant,
  { id, sourceId, ingestId, period }: LoadedSlice,
  reason: string,
): Promise<void> {
  const source = await sourceHealth(tenant).named(sourceId)
  if (!source) return
  const { name, cloudAccountId } = source
  const month = period.slice(0, 7)
  await announce(tenant, {
    event: 'slice.suspect',
    subject: { kind: 'slice', id, label: `${name}, ${month}` },
    title: `The bill of ${name} for ${month} became smaller and waits for a decision`,
    lines: [reason, 'The old numbers stay until somebody accepts or discards the new bill.'],
    path: '/cost/bills',
    ...scopeOfSource(source),
    detail: { sliceId: id, ingestId, sourceId, cloudAccountId, month, reason },
  })
}
