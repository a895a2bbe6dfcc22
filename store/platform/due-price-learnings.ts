import type { PlatformDb } from '../driver/connect.ts'

/**
 * Organizations whose cost, currency or exchange rates changed since their prices were learned. Not while an
 * ingest runs, which changes the cost with each of its bills, unless it takes long.
 */
export async function duePriceLearnings(
  db: PlatformDb,
  limit: number,
): Promise<Array<{ organizationId: number }>> {
  const { rows } = await db.raw(selectDue, [limit])
  return rows
}

const selectDue = `
  select v.organization_id as "organizationId"
  from cost_versions v join organizations o on o.id = v.organization_id
    left join price_learnings l on l.organization_id = v.organization_id
  where coalesce((o.settings ->> 'learnPrices')::boolean, true)
    and (l.learned_version is distinct from v.version
      or l.currency <> coalesce(o.settings ->> 'currency', 'USD')
      or exists (select from exchange_rates r
        where r.organization_id = v.organization_id and r.updated_at > l.learned_at))
    and (l.claimed_version is distinct from v.version or l.learned_at >= l.claimed_at
      or l.claimed_at < now() - interval '15 minutes')
    and not exists (select from billing_ingests g where g.organization_id = v.organization_id
      and g.state = 'running' and g.started_at > now() - interval '1 hour')
  order by greatest(l.learned_at, l.claimed_at) nulls first, v.changed_at limit ?`
