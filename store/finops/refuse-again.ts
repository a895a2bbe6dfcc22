import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { LookedAt } from './reading-slices.ts'

/** A look found the files that an earlier one refused: it says the same of them, and read none. */
export async function refuseAgain(tenant: Tenant, look: LookedAt, earlier: number): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  await db.raw(insertRefused, { organizationId, ...look, earlier })
}

// Once a month in an ingest.
const insertRefused = `
  insert into billing_slices (organization_id, ingest_id, source_id, period, manifest, manifest_hash, files, state,
    content_refused, reason, errors)
  select organization_id, :ingestId, source_id, period, :manifest, manifest_hash, :files, 'refused', true, reason, errors
  from billing_slices e where e.organization_id = :organizationId and e.id = :earlier
    and not exists (select from billing_slices where organization_id = :organizationId
      and ingest_id = :ingestId and source_id = :sourceId and period = :period::date and state <> 'waiting')`
