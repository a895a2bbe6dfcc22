import type { Knex } from 'knex'

/**
 * Azure writes an id in different cases, and bills are read in lower case now. Sums of bills that were read before
 * had the id as it was billed, so that a window over both showed one commitment twice.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    update cost_versions v set version = version + 1, changed_at = now()
    where exists (select from cost_commitments c
      where c.organization_id = v.organization_id and ${isOldSpelling})`)
  await knex.raw(keepTold)
  await knex.raw(lowerIds)
}

const isOldSpelling = `c.provider = 'azure' and c.commitment_id <> lower(c.commitment_id)`

/** SQL: a waste that was told of under the old id is not told again under the new one. */
const keepTold = `
  with spelled as (
    select distinct c.organization_id, c.commitment_id from cost_commitments c where ${isOldSpelling}),
  told as (
    select min(n.id) as id, s.organization_id, md5('azure ' || lower(s.commitment_id)) as key
    from notices n join spelled s on s.organization_id = n.organization_id
      and n.subject_id = md5('azure ' || s.commitment_id)
    where n.event = 'commitment.unused' and n.subject_kind = 'commitment'
    group by s.organization_id, lower(s.commitment_id))
  update notices n set subject_id = t.key from told t
  where n.id = t.id and not exists (select from notices o where o.organization_id = t.organization_id
    and o.event = 'commitment.unused' and o.subject_kind = 'commitment' and o.subject_id = t.key)`

/** SQL: of slices that have such an id, all of Azure is made anew. Savings that are not known stay so. */
const lowerIds = `
  with old as (
    delete from cost_commitments where provider = 'azure' and slice_id in (
      select c.slice_id from cost_commitments c where ${isOldSpelling})
    returning *)
  insert into cost_commitments (organization_id, slice_id, source_id, day, provider, commitment_id, name, type,
    category, currency, used, unused, saved)
  select organization_id, slice_id, source_id, day, provider, lower(commitment_id), max(name), max(type),
    max(category), currency, sum(used), sum(unused), case when count(saved) = count(*) then sum(saved) end
  from old
  group by organization_id, slice_id, source_id, day, provider, lower(commitment_id), currency`
