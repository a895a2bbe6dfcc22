import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/** Daily series of cost, each day as it was scored, and the anomalies that were found. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(tables)
  for (const table of ['anomaly_series', 'anomaly_days', 'anomalies'])
    await protectTable(knex, table)
}

const tables = `
  -- What is scored by itself: the usage of one service in one sub-account of a source, in one currency.
  create table anomaly_series (
    id integer generated always as identity primary key,
    organization_id integer not null,
    source_id integer not null,
    -- md5 of the four columns below, for a service's name may be longer than an index takes.
    key uuid not null,
    provider text not null,
    service text not null,
    sub_account_id text,
    currency text not null,
    unique (organization_id, id),
    unique (organization_id, source_id, key),
    foreign key (organization_id, source_id) references billing_sources (organization_id, id) on delete cascade
  );

  -- The days of a series as they were scored. The next day is judged by the newest of them.
  create table anomaly_days (
    organization_id integer not null,
    series_id integer not null,
    day date not null,
    actual numeric(30,12) not null,
    -- Estimates, not money that anybody is billed: double precision is what they were computed in.
    expected double precision not null,
    low double precision not null,
    high double precision not null,
    scale double precision not null,
    kind text check (kind in ('rise', 'drift', 'new_spend')),
    run integer not null,
    is_learned boolean not null,
    drift double precision not null,
    share double precision not null,
    weekly double precision not null,
    monthly double precision,
    primary key (organization_id, series_id, day),
    foreign key (organization_id, series_id) references anomaly_series (organization_id, id) on delete cascade
  );

  create table anomalies (
    id integer generated always as identity primary key,
    organization_id integer not null,
    series_id integer not null,
    -- Of several sub-accounts of a service in the same days, the dearest is shown with the others below it.
    parent_id integer,
    kind text not null check (kind in ('rise', 'drift', 'new_spend')),
    severity text not null check (severity in ('low', 'medium', 'high')),
    state text not null check (state in ('open', 'acknowledged', 'expected', 'not_anomaly', 'resolved')),
    first_day date not null,
    last_day date not null,
    -- The day with the greatest excess, and its figures.
    day date not null,
    actual numeric(30,12) not null,
    expected numeric(30,12) not null,
    low numeric(30,12) not null,
    high numeric(30,12) not null,
    -- The excess of all its days.
    impact numeric(30,12) not null,
    -- The impact when people were told of it last; null where they were not.
    told_impact numeric(30,12),
    -- What rose: [{ dimension, value, amount, share }].
    drivers jsonb not null default '[]',
    comment text,
    decided_by integer,
    decided_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check (first_day <= day and day <= last_day),
    unique (organization_id, id),
    foreign key (organization_id, series_id) references anomaly_series (organization_id, id) on delete cascade,
    foreign key (organization_id, parent_id) references anomalies (organization_id, id) on delete set null (parent_id),
    foreign key (organization_id, decided_by) references users (organization_id, id)
  );
  create index anomalies_series on anomalies (organization_id, series_id, last_day);
  create index anomalies_parent on anomalies (organization_id, parent_id);
  create index anomalies_decided_by on anomalies (organization_id, decided_by);
  create index anomalies_days on anomalies (organization_id, first_day, id)`
