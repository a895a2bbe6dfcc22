import type { Knex } from 'knex'

/** The whole cost and the values of a tag are scored too, beside the services (docs/cost.md). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Of an organization's whole cost or of one tag: of all sources together, in one currency.
    alter table anomaly_series alter column source_id drop not null,
      alter column provider drop not null,
      alter column service drop not null,
      add column scope_kind text check (scope_kind in ('total', 'tag')),
      add column scope_key text,
      add column scope_value text,
      add check (case when scope_kind is null
        then num_nulls(source_id, provider, service) = 0 and num_nonnulls(scope_key, scope_value) = 0
        else num_nonnulls(source_id, provider, service, sub_account_id) = 0
          and num_nonnulls(scope_key, scope_value) = case scope_kind when 'tag' then 2 else 0 end end);
    create unique index anomaly_series_scope on anomaly_series (organization_id, key) where source_id is null;

    -- What of a day's cost the anomalies of services explain; 0 where the series is a service's own.
    alter table anomaly_days add column explained double precision not null default 0;
  `)
}
