import { chargeColumns } from '../../domain/finops/focus/charge-columns.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'
import type { Changes } from './slice-moves.ts'

/** Counts by digest what a slice brings and what it takes away from the one that it is to replace. */
export async function compareSlices(
  tenant: Tenant,
  { sliceId, replaced, period }: { sliceId: number; replaced: number | undefined; period: string },
): Promise<Changes> {
  const { db, organizationId } = unwrap(tenant)
  const at = { organizationId, sliceId, replaced: replaced ?? null, period }
  await db.raw(settings)
  const { rows } = await db.raw(countChanges, at)
  const [{ upserted, gone }] = rows
  if (upserted === 0 || gone === 0) return { upserted, removed: gone }
  // A row whose sums changed has another digest; it is not gone if its dimensions are still there.
  const { rows: left } = await db.raw(countRemoved, at)
  return { upserted, removed: left[0].removed }
}

const settings = `select set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
  set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true)`

const rowsOf = (name: string, slice: string, columns: string): string => `
  ${name} as materialized (select ${columns} from focus_charges where organization_id = :organizationId
    and slice_id = ${slice}::integer and period = :period::date)`

const countChanges = `
  with ${rowsOf('given', ':sliceId', 'digest')}, ${rowsOf('held', ':replaced', 'digest')}
  select
    (select count(*) from given g where not exists (select from held h where h.digest = g.digest))::integer
      as upserted,
    (select count(*) from held h where not exists (select from given g where g.digest = h.digest))::integer
      as gone`

const dimensions = chargeColumns.filter(({ role }) => role === 'dimension').map(({ name }) => name)
const withDimensions = `digest, md5(row(${dimensions.join(', ')})::text)::uuid as dimensions`

const countRemoved = `
  with ${rowsOf('given', ':sliceId', withDimensions)}, ${rowsOf('held', ':replaced', withDimensions)}
  select count(*)::integer as removed from held h
  where not exists (select from given g where g.dimensions = h.dimensions)`
