import { unwrap, type Tenant } from '../driver/tenant.ts'
import { scopeScorings } from './scope-scorings.ts'

/** A row of charges has about a kilobyte. */
const maxRows = 5_000
/** A chunk of an upload has a megabyte. */
const maxChunks = 20

/**
 * Deletes a limited part of what is stored of a slice that is not needed. `more`: call it again, in another
 * transaction. `done` also where another worker is at it.
 */
export async function forgetCharges(tenant: Tenant, sliceId: number): Promise<'more' | 'done'> {
  const { db, organizationId } = unwrap(tenant)
  const [slice] = await db('billing_slices')
    .where({ organizationId, id: sliceId, hasCharges: true, isCurrent: false })
    .whereIn('state', ['refused', 'discarded', 'superseded'])
    .forNoKeyUpdate()
    .skipLocked()
    .select('period')
  if (!slice) return 'done'
  for (const [table, condition] of Object.entries(ofSlice)) {
    const at = { sliceId, period: slice.period }
    if (await deletePart(tenant, { table, condition, limit: maxRows, at })) return 'more'
  }
  await db('billing_slices').where({ organizationId, id: sliceId }).update({ hasCharges: false })
  return 'done'
}

/** Of one partition: the place of a row in its table says nothing in another one. */
const ofSlice = {
  focus_charges: 'slice_id = :sliceId and period = :period::date',
  cost_daily: 'slice_id = :sliceId',
  cost_tag_daily: 'slice_id = :sliceId',
  cost_tag_keys: 'slice_id = :sliceId',
  cost_monthly: 'slice_id = :sliceId',
  cost_tag_monthly: 'slice_id = :sliceId',
  cost_days: 'slice_id = :sliceId',
  cost_resources: 'slice_id = :sliceId',
  cost_commitments: 'slice_id = :sliceId',
}

/**
 * Deletes a limited part of a source that was removed, and the source itself last. With it goes what explained days
 * of the whole cost and of tags, so that transaction has them scored anew. `wait`: its charges are not all deleted
 * yet, one of its slices is being read, or another worker is at it.
 */
export async function forgetSource(
  tenant: Tenant,
  sourceId: number,
): Promise<'more' | 'wait' | 'done'> {
  const { db, organizationId } = unwrap(tenant)
  const [source] = await db('billing_sources')
    .where({ organizationId, id: sourceId })
    .whereNotNull('removedAt')
    .forUpdate()
    .skipLocked()
    .select('id')
  if (!source) return 'wait'
  const at = { organizationId, sourceId }
  await db.raw(discardSlices, at)
  const { rows } = await db.raw(selectNeeded, at)
  if (rows.length > 0) return 'wait'
  for (const [table, { condition, limit }] of Object.entries(ofSource))
    if (await deletePart(tenant, { table, condition, limit, at: { sourceId } })) return 'more'
  await db('billing_sources').where({ organizationId, id: sourceId }).delete()
  await scopeScorings(tenant).askAnew()
  return 'done'
}

// One that is being read is discarded by its own swap, unless its ingest is over.
const discardSlices = `
  update billing_slices s set state = 'discarded', is_current = false, reason = 'The source was removed.'
  where s.organization_id = :organizationId and s.source_id = :sourceId
    and (s.state in ('loaded', 'suspect') or s.state = 'reading' and not exists (
      select from billing_ingests g where g.organization_id = s.organization_id and g.id = s.ingest_id
        and g.state = 'running'))`

const selectNeeded = `
  select 1 from billing_slices where organization_id = :organizationId and source_id = :sourceId
    and (has_charges or state = 'reading') limit 1`

const ofUploads = `select id from billing_uploads
  where organization_id = :organizationId and source_id = :sourceId`
const ofFiles = `select id from billing_upload_files
  where organization_id = :organizationId and upload_id in (${ofUploads})`

const ofSource = {
  billing_upload_chunks: { condition: `file_id in (${ofFiles})`, limit: maxChunks },
  billing_upload_files: { condition: `upload_id in (${ofUploads})`, limit: maxRows },
  billing_uploads: { condition: 'source_id = :sourceId', limit: maxRows },
  billing_ingest_sources: { condition: 'source_id = :sourceId', limit: maxRows },
  billing_slices: { condition: 'source_id = :sourceId', limit: maxRows },
}

type Part = { table: string; condition: string; limit: number; at: Record<string, unknown> }

/** True if there may be more. */
async function deletePart(tenant: Tenant, { table, condition, limit, at }: Part): Promise<boolean> {
  const { db, organizationId } = unwrap(tenant)
  const where = `organization_id = :organizationId and ${condition}`
  const { rowCount } = await db.raw(
    `delete from ${table} where ${where} and ctid = any(array(
       select ctid from ${table} where ${where} limit :limit))`,
    { organizationId, ...at, limit },
  )
  return rowCount === limit
}
