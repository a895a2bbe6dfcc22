import { hash } from 'node:crypto'
import {
  hasMoved,
  isRefuted,
  type BilledGroup,
  type UnlearnedReason,
} from '../../domain/finops/learned-price.ts'
import { unwrap, type Tenant } from '../driver/tenant.ts'

export type LearnedGroup = BilledGroup & { monthlyPrice: string }
export type UnlearnedGroup = BilledGroup & { because: UnlearnedReason }
export type LearningOutcome = { added: number; moved: number; removed: number }

/** What is kept of a price that no bill of the window has any more. */
const keptDays = 90

type Known = {
  learnedKey: string
  monthlyPrice: string
  currency: string
  isOld: boolean
  isEnabled: boolean
}

/** The prices of the book that were learned, and the groups of resources that have none. */
export function learnedPrices(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  /** Idempotent: the same groups change nothing. A price keeps its version where it moved by less than 1 %. */
  async function write(
    groups: readonly LearnedGroup[],
    unlearned: readonly UnlearnedGroup[],
    currency: string,
  ): Promise<LearningOutcome> {
    const { rows }: { rows: Known[] } = await db.raw(selectKnown, { organizationId, keptDays })
    const known = new Map(rows.map((row) => [row.learnedKey, row]))
    const found = groups.map((group) => ({ ...rowOf(group), currency, isMoved: isMoved(group) }))
    function isMoved(group: LearnedGroup): boolean {
      const before = known.get(keyOf(group))
      if (!before) return false
      return before.currency !== currency || hasMoved(before.monthlyPrice, group.monthlyPrice)
    }
    const at = { organizationId, rows: JSON.stringify(found) }
    await db.raw(updateKnown, at)
    await db.raw(insertNew, at)
    const kept = new Set(found.map(({ key }) => key))
    // Its resources are on the bill still, and it is known by now that they have no one price.
    const refuted = new Set(unlearned.filter((group) => isRefuted(group.because, group)).map(keyOf))
    const gone = rows
      .filter(
        ({ learnedKey, isOld, isEnabled }) =>
          // One that a person switched off would come back switched on.
          isEnabled && !kept.has(learnedKey) && (isOld || refuted.has(learnedKey)),
      )
      .map(({ learnedKey }) => learnedKey)
    const { rowCount: removed } = await db.raw(remove, { organizationId, gone })
    await replaceUnlearned(tenant, unlearned)
    return {
      added: found.filter(({ key }) => !known.has(key)).length,
      moved: found.filter((row) => row.isMoved).length,
      removed,
    }
  }

  return {
    write,

    /** Those of the bill's groups that stay without a price, by id. */
    async unlearned(limit: number, after: number): Promise<StoredUnlearned[]> {
      return db('unlearnedPrices')
        .where({ organizationId })
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select('id', 'provider', 'resourceType', 'match', 'region', 'because')
        .select('sampleSize', 'spread', 'fromDay', 'toDay')
    },
  }
}

async function replaceUnlearned(
  tenant: Tenant,
  unlearned: readonly UnlearnedGroup[],
): Promise<void> {
  const { db, organizationId } = unwrap(tenant)
  const rows = unlearned.map((group) => ({ ...rowOf(group), because: group.because }))
  await db.raw(
    `delete from unlearned_prices where organization_id = :organizationId
       and not key = any(:keys::uuid[])`,
    { organizationId, keys: rows.map(({ key }) => key) },
  )
  await db.raw(upsertUnlearned, { organizationId, rows: JSON.stringify(rows) })
}

export type StoredUnlearned = Pick<
  UnlearnedGroup,
  'provider' | 'resourceType' | 'match' | 'region' | 'because' | 'sampleSize' | 'spread'
> & { id: number; fromDay: string; toDay: string }

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** md5, for a match may be longer than an index takes. */
function keyOf({ provider, resourceType, region, match }: BilledGroup): string {
  const conditions = Object.entries(match).toSorted(byName)
  return uuidOf(hash('md5', JSON.stringify([provider, resourceType, region, conditions])))
}

/** As PostgreSQL writes it back. */
const uuidOf = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

function rowOf(group: BilledGroup) {
  const { provider, resourceType, match, region, monthlyPrice, sampleSize, spread, from, to } =
    group
  const learned = { sampleSize, spread, from, to, region }
  return { key: keyOf(group), provider, resourceType, match, monthlyPrice, learned }
}

const selectKnown = `
  select learned_key as "learnedKey", monthly_price::text as "monthlyPrice", currency,
    (learned ->> 'to')::date < current_date - :keptDays::integer as "isOld", enabled as "isEnabled"
  from prices where organization_id = :organizationId and learned is not null`

const given = `jsonb_to_recordset(:rows::jsonb) as r (key uuid, provider text, "resourceType" text,
    match jsonb, "monthlyPrice" numeric, currency text, learned jsonb, "isMoved" boolean)`

const insertNew = `
  insert into prices (organization_id, provider, resource_type, match, monthly_price, currency, source,
    valid_from, learned, learned_key)
  select :organizationId, provider, "resourceType", match, "monthlyPrice", currency, 'bill',
    (learned ->> 'to')::date, learned, key
  from ${given}
  on conflict (organization_id, learned_key) where learned_key is not null do nothing`

const updateKnown = `
  update prices p set learned = r.learned,
    monthly_price = case when r."isMoved" then r."monthlyPrice" else p.monthly_price end,
    currency = r.currency,
    version = p.version + case when r."isMoved" then 1 else 0 end,
    updated_at = case when r."isMoved" then now() else p.updated_at end
  from ${given}
  where p.organization_id = :organizationId and p.learned_key = r.key
    and (r."isMoved" or p.learned <> r.learned)`

const remove = `
  delete from prices where organization_id = :organizationId and learned_key = any(:gone::uuid[])`

const upsertUnlearned = `
  insert into unlearned_prices as u (organization_id, key, provider, resource_type, match, region, because,
    sample_size, spread, from_day, to_day)
  select :organizationId, key, provider, "resourceType", match, learned ->> 'region', because,
    (learned ->> 'sampleSize')::integer, (learned ->> 'spread')::float8, (learned ->> 'from')::date,
    (learned ->> 'to')::date
  from jsonb_to_recordset(:rows::jsonb) as r (key uuid, provider text, "resourceType" text, match jsonb,
    because text, learned jsonb)
  on conflict (organization_id, key) do update set because = excluded.because,
    sample_size = excluded.sample_size, spread = excluded.spread, from_day = excluded.from_day,
    to_day = excluded.to_day`
