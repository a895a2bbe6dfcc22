import { unwrap, type Tenant } from '../driver/tenant.ts'

const pageSize = 5_000
/** Some charges come once a month. */
const daysUntilGone = 35

export const firstBilledKey = '00000000-0000-0000-0000-000000000000'

/** What only bills know (billed-resources.ts), compared with the current bills. */
export function tidiedResources(tenant: Tenant) {
  const { db, organizationId } = unwrap(tenant)

  return {
    /** The version of the cost that `tidied` takes, once all pages were tidied. */
    async version(): Promise<string | undefined> {
      const row = await db('cost_versions').where({ organizationId }).first('version')
      return row?.version
    },

    async tidied(version: string): Promise<void> {
      await db('cost_versions').where({ organizationId }).update({ tidiedVersion: version })
    },

    /**
     * Of the next page behind a key: deletes what no current bill names, or an inventory lists by now, and
     * marks what bills ceased to name as gone. Answers the last key, undefined after the last page.
     */
    async tidyPage(after: string): Promise<string | undefined> {
      const { rows } = await db.raw(tidyPage, { organizationId, after, pageSize, daysUntilGone })
      const { last, count }: { last: string | null; count: number } = rows[0]
      return count < pageSize || last === null ? undefined : last
    },
  }
}

const tidyPage = `
  with page as materialized (
    select r.id, r.cloud_id, r.cloud_key, r.state, md5(cloud_name(r.cloud_id))::uuid as name_key from cloud_resources r
    where r.organization_id = :organizationId and r.place_id is null and r.cloud_key > :after::uuid
    order by r.cloud_key limit :pageSize),
  current as materialized (
    select s.id, s.source_id, max(s.last_day) over (partition by s.source_id) as newest
    from billing_slices s join billing_sources b on b.organization_id = s.organization_id and b.id = s.source_id
    where s.organization_id = :organizationId and s.is_current and b.removed_at is null),
  billed as materialized (
    select p.id, min(u.newest - c.last_day) > :daysUntilGone::integer as is_gone, max(c.last_day) as last_day
    from page p
      join cost_resources c on c.organization_id = :organizationId and c.name_key = p.name_key
        and billed_cloud_id(c.resource_id, c.provider, c.service, c.sub_account_id, c.region) = p.cloud_id
      join current u on u.id = c.slice_id
    group by p.id),
  deleted as (
    delete from cloud_resources r using page p
    where r.organization_id = :organizationId and r.id = p.id and r.place_id is null
      and (not exists (select from billed b where b.id = p.id) or exists (
        select from cloud_resources i where i.organization_id = :organizationId and i.cloud_key = p.cloud_key
          and i.cloud_id = p.cloud_id and i.place_id is not null))),
  changed as (
    update cloud_resources r set state = case when b.is_gone then 'gone' else 'present' end,
      gone_at = case when b.is_gone then now() end,
      last_seen_at = case when b.is_gone then b.last_day::timestamptz end
    from billed b
    where r.organization_id = :organizationId and r.id = b.id and r.place_id is null
      and r.state <> case when b.is_gone then 'gone' else 'present' end)
  select max(cloud_key::text) as last, count(*)::integer as count from page`
