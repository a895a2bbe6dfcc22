import type { Knex } from 'knex'

/**
 * Reruns from before 0151 did not note who wrote their variables, and neither do their reruns: those people could
 * approve their own variables.
 */
export async function up(knex: Knex): Promise<void> {
  await fillWriters(knex)
}

/**
 * A run's first audit entry names the run that it repeats, as it was addressed: by its own id, or by that of its place
 * in another pipeline. Where that place or the entry is gone, everybody who started an earlier run with variables, of
 * the same files and options, counts as a writer: a rerun has the files and options of the run that it repeats.
 */
export async function fillWriters(knex: Knex): Promise<void> {
  await knex.raw(`
    with recursive started as materialized (
      select r.organization_id, r.id, r.author_user_id, r.configuration_version_id, r.kind, r.destroy, r.confirm,
        coalesce(p.workspace_run_id, w.id) as repeated_id,
        e.is_there is null or e.rerun_of is not null and coalesce(p.workspace_run_id, w.id) is null as is_lost
      from workspace_runs r
        -- By itself for each run, since a join could read all audit entries. Written with the run, so that the other
        -- partitions are not read either.
        left join lateral (
          select true as is_there, (e.detail ->> 'rerunOf')::integer as rerun_of from audit_entries e
          where e.organization_id = r.organization_id and e.target_kind = 'run' and e.target_id = r.id::text
            and e.event = 'pipeline.run_started'
            and e.at between r.created_at - interval '1 day' and r.created_at + interval '1 day'
          limit 1) e on true
        left join pipeline_runs p on p.organization_id = r.organization_id and p.id = e.rerun_of
        left join workspace_runs w on w.organization_id = r.organization_id and w.id = e.rerun_of
      -- Only runs that a member starts can be repeated with their variables.
      where r.overrides is not null and r.origin = 'person'),
    starters as (
      select organization_id, configuration_version_id, kind, destroy, confirm, author_user_id, min(id) as first_id
      from started group by 1, 2, 3, 4, 5, 6),
    wrote (run_id, user_id) as (
      (select s.id, b.author_user_id from started s join started b on b.id = s.repeated_id
       union
       select s.id, o.author_user_id from started s join starters o on o.organization_id = s.organization_id
         and o.configuration_version_id = s.configuration_version_id and o.kind = s.kind and o.destroy = s.destroy
         and o.confirm = s.confirm and o.first_id < s.id
       where s.is_lost)
      union
      select s.id, w.user_id from wrote w join started s on s.repeated_id = w.run_id)
    update workspace_runs r set overrides_by = array(select distinct unnest(r.overrides_by || w.user_ids) order by 1)
    from (select run_id, array_agg(user_id) as user_ids from wrote group by run_id) w
    where r.id = w.run_id and not r.overrides_by @> w.user_ids`)
}
