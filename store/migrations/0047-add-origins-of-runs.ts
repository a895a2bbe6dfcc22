import type { Knex } from 'knex'

/**
 * What started a run was read from its author: none meant a push, although a pull request has none
 * either, and schedules, drift checks and deployments will have none. Answers that are kept for a
 * repeated request get the field as well: only people send such requests.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table workspace_runs add column origin text not null default 'person';
    update workspace_runs r
    set origin = case when v.pull_request_id is null then 'push' else 'pull_request' end
    from configuration_versions v
    where r.author_user_id is null
      and v.organization_id = r.organization_id and v.id = r.configuration_version_id;
    alter table workspace_runs
      alter column origin drop default,
      add constraint workspace_runs_origin_check check (origin in
        ('person', 'push', 'pull_request', 'schedule', 'drift', 'deployment')),
      add constraint workspace_runs_person_check check (origin <> 'person' or author_user_id is not null);
    update idempotency_keys set response = jsonb_set(response, '{run,origin}', '"person"')
    where response -> 'run' is not null;
  `)
}
