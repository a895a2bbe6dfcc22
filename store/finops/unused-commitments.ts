import { unwrap, type Tenant } from '../driver/tenant.ts'

export type UnusedCommitment = {
  /** A digest of provider and id: an id of a bill can be longer than an index takes. */
  key: string
  id: string
  name: string | null
  provider: string
  accountId: number | null
  firstDay: string
  lastDay: string
  currency: string
  /** Decimal text, of these days. */
  amortised: string
  unused: string
}

type Rule = { days: number; least: number; limit: number }

/**
 * Commitments of which less than `least` was used on each of their newest complete `days`, dearest waste first.
 * Those that were told before are left out, and so are those that ended over a week before their bill.
 */
export async function unusedCommitments(tenant: Tenant, rule: Rule): Promise<UnusedCommitment[]> {
  const { db, organizationId } = unwrap(tenant)
  const { rows } = await db.raw(selectUnused, { organizationId, ...rule })
  return rows
}

const selectUnused = `
  with slices as materialized (
    select s.id, s.source_id, s.complete_through,
      max(s.complete_through) over (partition by s.source_id) as through, b.cloud_account_id
    from billing_slices s
      join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null
      and s.complete_through is not null),
  days as materialized (
    select c.source_id, s.cloud_account_id, s.through, c.provider, c.commitment_id, c.currency, c.day,
      max(c.name) as name, sum(c.used) as used, sum(c.unused) as unused
    from slices s join cost_commitments c on c.organization_id = :organizationId and c.slice_id = s.id
    where s.complete_through > s.through - 62 and c.day <= s.through
      and c.day > s.through - (7 + :days::integer)
    group by 1, 2, 3, 4, 5, 6, 7),
  newest as (
    select *, max(day) over (partition by source_id, provider, commitment_id, currency) as last_day from days),
  judged as (
    select md5(provider || ' ' || commitment_id) as key, commitment_id as id, max(name) as name, provider,
      cloud_account_id, min(day) as first_day, max(day) as last_day, currency, sum(used + unused) as amortised,
      sum(unused) as unused
    from newest where day > last_day - :days::integer
    group by source_id, provider, commitment_id, currency, cloud_account_id
    having count(*) = :days::integer and bool_and(used + unused > 0 and used < :least::numeric * (used + unused)))
  select j.key, j.id, j.name, j.provider, j.cloud_account_id as "accountId", j.first_day::text as "firstDay",
    j.last_day::text as "lastDay", j.currency, j.amortised::text as amortised, j.unused::text as unused
  from judged j
  where not exists (select from notices n where n.organization_id = :organizationId
    and n.event = 'commitment.unused' and n.subject_kind = 'commitment' and n.subject_id = j.key)
  order by j.unused desc, j.key limit :limit`
