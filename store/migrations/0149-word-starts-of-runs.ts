import type { Knex } from 'knex'

/**
 * A run says what it was started with, of a push the first line of its commit, and how it ended, each in a field
 * of its own, and its origin with an id. A run of an application that found no manifest keeps the language that it saw.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table application_runs add column missing_manifest jsonb
      constraint application_runs_missing_manifest_check check (octet_length(missing_manifest::text) <= 16384);

    create function pg_temp.first_line(message text) returns text language sql immutable as $$
      select nullif(left(btrim(regexp_replace(translate(
        split_part(ltrim(message, E' \\t\\r\\n'), E'\\n', 1), E'\\t', ' '),
        '[\\u0001-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]', '', 'g')), 500), '')
    $$;
    update workspace_runs r set start_message = pg_temp.first_line(v.commit_message)
    from configuration_versions v
    where r.origin = 'push' and r.start_message is null and v.commit_message is not null
      and v.organization_id = r.organization_id and v.id = r.configuration_version_id;
    update application_runs set start_message = pg_temp.first_line(commit_message)
    where origin = 'push' and start_message is null and commit_message is not null;

    -- Answers that are kept for a repeated request have the same fields as the others. People made those requests.
    update idempotency_keys set response = jsonb_set(response, '{run}',
      (response -> 'run') - 'startMessage' || jsonb_build_object(
        'message', response #> '{run,startMessage}',
        'endMessage', response #> '{run,message}',
        'origin', jsonb_build_object('kind', response #> '{run,origin}', 'id', response #> '{run,author,id}')))
    where response #> '{run,startMessage}' is not null;
  `)
}
