import type { PlatformDb } from '../driver/connect.ts'

export type ForgettableBill =
  | { kind: 'slice'; organizationId: number; sliceId: number }
  | { kind: 'source'; organizationId: number; sourceId: number }

/**
 * Slices whose charges nobody needs, and sources that were removed; each organization's first before the
 * second of any.
 */
export async function forgettableBills(db: PlatformDb, limit: number): Promise<ForgettableBill[]> {
  const { rows } = await db.raw(selectSlices, [limit])
  const { rows: sources } = await db.raw(selectSources, [limit])
  return [...rows, ...sources]
}

const selectSlices = `
  select 'slice' as kind, organization_id as "organizationId", id as "sliceId" from billing_slices
  where has_charges and not is_current and state in ('refused', 'discarded', 'superseded')
  order by row_number() over (partition by organization_id order by id), id limit ?`

const selectSources = `
  select 'source' as kind, organization_id as "organizationId", id as "sourceId" from billing_sources
  where removed_at is not null
  order by row_number() over (partition by organization_id order by id), id limit ?`
