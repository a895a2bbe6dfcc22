-- The sum of store/migrations. Not run by anything: read it, and see in a diff what a migration does.
-- vitest run test/store/schema.test.ts --update writes it anew.

table agents
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  kind text not null default 'host'::text
  name character varying(100) not null
  labels jsonb not null default '{}'::jsonb
  paused boolean not null default false
  join_max_agents integer
  join_id integer
  version character varying(50)
  os character varying(50)
  arch character varying(50)
  protocol integer
  outdated boolean not null default false
  last_seen_at timestamp with time zone
  release_digest text
  release_run_id integer
  created_at timestamp with time zone not null default now()
  deleted_at timestamp with time zone
  constraint agents_check CHECK (((kind = 'join'::text) = (join_max_agents IS NOT NULL)))
  constraint agents_join_max_agents_check CHECK (((join_max_agents >= 1) AND (join_max_agents <= 1000)))
  constraint agents_kind_check CHECK ((kind = ANY (ARRAY['host'::text, 'join'::text])))
  constraint agents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint agents_organization_id_id_key UNIQUE (organization_id, id)
  constraint agents_organization_id_join_id_fkey FOREIGN KEY (organization_id, join_id) REFERENCES agents(organization_id, id) ON DELETE SET NULL (join_id)
  constraint agents_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint agents_pkey PRIMARY KEY (id)
  constraint agents_release_digest_check CHECK ((release_digest ~ '^sha256:[0-9a-f]{64}$'::text))
  index agents_join btree (organization_id, join_id)
  UNIQUE index agents_name btree (workspace_id, kind, lower((name)::text)) WHERE (deleted_at IS NULL)
  index agents_release btree (organization_id, release_digest) WHERE (deleted_at IS NULL)
  index agents_workspace btree (organization_id, workspace_id, id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table anomalies
  id integer not null generated always as identity
  organization_id integer not null
  series_id integer not null
  parent_id integer
  kind text not null
  severity text not null
  state text not null
  first_day date not null
  last_day date not null
  day date not null
  actual numeric(30,12) not null
  expected numeric(30,12) not null
  low numeric(30,12) not null
  high numeric(30,12) not null
  impact numeric(30,12) not null
  told_impact numeric(30,12)
  drivers jsonb not null default '[]'::jsonb
  comment text
  decided_by integer
  decided_at timestamp with time zone
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  first_day_below date
  constraint anomalies_check CHECK (((first_day <= day) AND (day <= last_day)))
  constraint anomalies_kind_check CHECK ((kind = ANY (ARRAY['rise'::text, 'drift'::text, 'new_spend'::text])))
  constraint anomalies_organization_id_decided_by_fkey FOREIGN KEY (organization_id, decided_by) REFERENCES users(organization_id, id)
  constraint anomalies_organization_id_id_key UNIQUE (organization_id, id)
  constraint anomalies_organization_id_parent_id_fkey FOREIGN KEY (organization_id, parent_id) REFERENCES anomalies(organization_id, id) ON DELETE SET NULL (parent_id)
  constraint anomalies_organization_id_series_id_fkey FOREIGN KEY (organization_id, series_id) REFERENCES anomaly_series(organization_id, id) ON DELETE CASCADE
  constraint anomalies_pkey PRIMARY KEY (id)
  constraint anomalies_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])))
  constraint anomalies_state_check CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'expected'::text, 'not_anomaly'::text, 'resolved'::text])))
  index anomalies_days btree (organization_id, LEAST(first_day, first_day_below), id)
  index anomalies_decided_by btree (organization_id, decided_by)
  index anomalies_parent btree (organization_id, parent_id)
  index anomalies_series btree (organization_id, series_id, last_day)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table anomaly_days
  organization_id integer not null
  series_id integer not null
  day date not null
  actual numeric(30,12) not null
  expected double precision not null
  low double precision not null
  high double precision not null
  scale double precision not null
  kind text
  run integer not null
  is_learned boolean not null
  drift double precision not null
  share double precision not null
  weekly double precision not null
  monthly double precision
  explained double precision not null default 0
  constraint anomaly_days_kind_check CHECK ((kind = ANY (ARRAY['rise'::text, 'drift'::text, 'new_spend'::text])))
  constraint anomaly_days_organization_id_series_id_fkey FOREIGN KEY (organization_id, series_id) REFERENCES anomaly_series(organization_id, id) ON DELETE CASCADE
  constraint anomaly_days_pkey PRIMARY KEY (organization_id, series_id, day)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table anomaly_runs
  organization_id integer not null
  anomaly_id integer not null
  run_id integer not null
  place integer not null
  because text not null
  rise numeric(30,12) not null
  constraint anomaly_runs_because_check CHECK ((because = ANY (ARRAY['resource'::text, 'account'::text])))
  constraint anomaly_runs_organization_id_anomaly_id_fkey FOREIGN KEY (organization_id, anomaly_id) REFERENCES anomalies(organization_id, id) ON DELETE CASCADE
  constraint anomaly_runs_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint anomaly_runs_pkey PRIMARY KEY (organization_id, anomaly_id, run_id)
  index anomaly_runs_run btree (organization_id, run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table anomaly_series
  id integer not null generated always as identity
  organization_id integer not null
  source_id integer
  key uuid not null
  provider text
  service text
  sub_account_id text
  currency text not null
  scope_kind text
  scope_key text
  scope_value text
  constraint anomaly_series_check CHECK (
CASE
    WHEN (scope_kind IS NULL) THEN ((num_nulls(source_id, provider, service) = 0) AND (num_nonnulls(scope_key, scope_value) = 0))
    ELSE ((num_nonnulls(source_id, provider, service, sub_account_id) = 0) AND (num_nonnulls(scope_key, scope_value) =
    CASE scope_kind
        WHEN 'tag'::text THEN 2
        ELSE 0
    END))
END)
  constraint anomaly_series_organization_id_id_key UNIQUE (organization_id, id)
  constraint anomaly_series_organization_id_source_id_fkey FOREIGN KEY (organization_id, source_id) REFERENCES billing_sources(organization_id, id) ON DELETE CASCADE
  constraint anomaly_series_organization_id_source_id_key_key UNIQUE (organization_id, source_id, key)
  constraint anomaly_series_pkey PRIMARY KEY (id)
  constraint anomaly_series_scope_kind_check CHECK ((scope_kind = ANY (ARRAY['total'::text, 'tag'::text])))
  UNIQUE index anomaly_series_scope btree (organization_id, key) WHERE (source_id IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table application_runs
  pipeline_run_id integer not null
  organization_id integer not null
  phase text not null default 'queued'::text
  reason text
  message text
  start_message text
  origin text not null
  author_user_id integer
  author_token_id integer
  target_workspace_id integer
  branch text
  commit_sha text
  commit_message text
  commit_author text
  committed_at timestamp with time zone
  release_digest text
  approval_expires_at timestamp with time zone
  engine_run_id text
  created_at timestamp with time zone not null default now()
  started_at timestamp with time zone
  ended_at timestamp with time zone
  manifest_sha256 text
  cancel_requested_at timestamp with time zone
  sources_begun integer not null default 0
  builds_begun integer not null default 0
  waits_for_slot_since timestamp with time zone
  pipeline_id integer not null
  artifact_run_id integer
  rollback_of integer
  resolved_strategy jsonb
  commits jsonb not null default '[]'::jsonb
  commits_truncated boolean not null default false
  approved_before integer
  manifest text
  tag text
  strategy text
  trigger_id integer
  author_user_ids integer[] not null default '{}'::integer[]
  unknown_author boolean not null default false
  warnings text[] not null default '{}'::text[]
  missing_manifest jsonb
  source_connection_id integer
  source_repo text
  constraint application_runs_author_check CHECK (((origin <> 'person'::text) OR (author_user_id IS NOT NULL)))
  constraint application_runs_branch_check CHECK (((octet_length(branch) >= 1) AND (octet_length(branch) <= 1024)))
  constraint application_runs_commit_sha_check CHECK ((commit_sha ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'::text))
  constraint application_runs_manifest_check CHECK ((octet_length(manifest) <= 262144))
  constraint application_runs_manifest_sha256_check CHECK ((manifest_sha256 ~ '^[0-9a-f]{64}$'::text))
  constraint application_runs_missing_manifest_check CHECK ((octet_length((missing_manifest)::text) <= 16384))
  constraint application_runs_organization_id_approved_before_fkey FOREIGN KEY (organization_id, approved_before) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE SET NULL (approved_before)
  constraint application_runs_organization_id_artifact_run_id_fkey FOREIGN KEY (organization_id, artifact_run_id) REFERENCES artifacts(organization_id, pipeline_run_id)
  constraint application_runs_organization_id_author_token_id_fkey FOREIGN KEY (organization_id, author_token_id) REFERENCES tokens(organization_id, id)
  constraint application_runs_organization_id_author_user_id_fkey FOREIGN KEY (organization_id, author_user_id) REFERENCES users(organization_id, id)
  constraint application_runs_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE CASCADE
  constraint application_runs_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES pipeline_runs(organization_id, id) ON DELETE CASCADE
  constraint application_runs_organization_id_pipeline_run_id_key UNIQUE (organization_id, pipeline_run_id)
  constraint application_runs_organization_id_rollback_of_fkey FOREIGN KEY (organization_id, rollback_of) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE SET NULL (rollback_of)
  constraint application_runs_organization_id_target_workspace_id_fkey FOREIGN KEY (organization_id, target_workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE SET NULL (target_workspace_id)
  constraint application_runs_origin_check CHECK ((origin = ANY (ARRAY['person'::text, 'push'::text, 'schedule'::text])))
  constraint application_runs_phase_check CHECK ((phase = ANY (ARRAY['queued'::text, 'sourcing'::text, 'building'::text, 'awaiting_approval'::text, 'deploy_queued'::text, 'deploying'::text, 'rolling_back'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])))
  constraint application_runs_pkey PRIMARY KEY (pipeline_run_id)
  constraint application_runs_start_message_check CHECK (((char_length(start_message) >= 1) AND (char_length(start_message) <= 500)))
  constraint application_runs_strategy_check CHECK (((char_length(strategy) >= 1) AND (char_length(strategy) <= 100)))
  constraint application_runs_tag_check CHECK (((octet_length(tag) >= 1) AND (octet_length(tag) <= 1024)))
  index application_runs_approved_before btree (organization_id, approved_before)
  index application_runs_artifact_run btree (organization_id, artifact_run_id)
  index application_runs_author btree (organization_id, author_user_id, pipeline_run_id DESC)
  index application_runs_created btree (organization_id, created_at, pipeline_run_id)
  UNIQUE index application_runs_deploying btree (pipeline_id) WHERE (phase = ANY (ARRAY['deploying'::text, 'rolling_back'::text]))
  index application_runs_ended btree (organization_id, ended_at) WHERE (ended_at IS NOT NULL)
  index application_runs_origin btree (organization_id, origin, pipeline_run_id DESC) WHERE (origin <> 'person'::text)
  index application_runs_phase btree (organization_id, phase, pipeline_run_id DESC)
  index application_runs_pipeline btree (organization_id, pipeline_id, pipeline_run_id DESC)
  index application_runs_reason btree (organization_id, reason, pipeline_run_id DESC) WHERE (reason IS NOT NULL)
  index application_runs_rollback_of btree (organization_id, rollback_of)
  index application_runs_start_message btree (organization_id, pipeline_run_id DESC) INCLUDE (start_message) WHERE (start_message IS NOT NULL)
  index application_runs_target btree (organization_id, target_workspace_id, pipeline_run_id DESC)
  index application_runs_token btree (organization_id, author_token_id)
  index application_runs_working btree (pipeline_run_id) WHERE (phase = ANY (ARRAY['queued'::text, 'sourcing'::text, 'building'::text, 'awaiting_approval'::text, 'deploy_queued'::text, 'deploying'::text, 'rolling_back'::text]))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table apply_attempts
  workspace_run_id integer not null
  organization_id integer not null
  fence integer not null
  worker text not null
  process_group integer
  started_at timestamp with time zone not null default now()
  spawned_at timestamp with time zone
  beat_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  exit_code integer
  constraint apply_attempts_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint apply_attempts_pkey PRIMARY KEY (workspace_run_id)
  index apply_attempts_applied btree (ended_at) WHERE (exit_code = 0)
  index apply_attempts_run btree (organization_id, workspace_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table approvals
  id integer not null generated always as identity
  organization_id integer not null
  workspace_run_id integer
  user_id integer not null
  decision text not null
  comment text
  plan_digest text not null
  at timestamp with time zone not null default now()
  voided_at timestamp with time zone
  void_reason text
  idp_saved_by integer[]
  stage text not null default 'approve'::text
  pipeline_run_id integer
  step integer not null default 0
  state_version_id integer
  constraint approvals_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'rejected'::text])))
  constraint approvals_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint approvals_organization_id_state_version_id_fkey FOREIGN KEY (organization_id, state_version_id) REFERENCES state_versions(organization_id, id) ON DELETE SET NULL (state_version_id)
  constraint approvals_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint approvals_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint approvals_pkey PRIMARY KEY (id)
  constraint approvals_run_check CHECK ((num_nonnulls(workspace_run_id, pipeline_run_id) = 1))
  constraint approvals_stage_check CHECK ((stage = ANY (ARRAY['plan'::text, 'approve'::text])))
  constraint approvals_step_check CHECK ((step >= 0))
  index approvals_application_run btree (organization_id, pipeline_run_id)
  UNIQUE index approvals_application_standing btree (pipeline_run_id, step) WHERE ((voided_at IS NULL) AND (pipeline_run_id IS NOT NULL))
  index approvals_run btree (organization_id, workspace_run_id)
  UNIQUE index approvals_standing btree (workspace_run_id, stage) WHERE (voided_at IS NULL)
  index approvals_state_version btree (organization_id, state_version_id) WHERE (state_version_id IS NOT NULL)
  index approvals_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table artifact_blobs
  organization_id integer not null
  digest text not null
  claimed_at timestamp with time zone not null default now()
  removable_at timestamp with time zone
  removing_at timestamp with time zone
  constraint artifact_blobs_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text))
  constraint artifact_blobs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint artifact_blobs_pkey PRIMARY KEY (organization_id, digest)
  index artifact_blobs_removable btree (removable_at) WHERE (removable_at IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table artifact_probes
  name text not null
  part text not null
  reads_others boolean not null default true
  written_at timestamp with time zone not null default now()
  constraint artifact_probes_part_check CHECK ((part = ANY (ARRAY['api'::text, 'worker'::text])))
  constraint artifact_probes_pkey PRIMARY KEY (name)
  row level security
  policy platform to cc_platform using (true) with check (true)
  grant insert, select, update, delete to cc_platform

table artifact_sweeps
  organization_id integer not null
  swept_at timestamp with time zone not null default now()
  constraint artifact_sweeps_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint artifact_sweeps_pkey PRIMARY KEY (organization_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table artifacts
  pipeline_run_id integer not null
  organization_id integer not null
  digest text not null
  content_digest text not null
  size_bytes bigint not null
  entries integer not null
  created_at timestamp with time zone not null default now()
  descriptions_begun integer not null default 0
  described_at timestamp with time zone
  spdx_digest text
  cyclonedx_digest text
  provenance jsonb
  signed_at timestamp with time zone
  swept_at timestamp with time zone
  kept_digest text default 
CASE
    WHEN (swept_at IS NULL) THEN digest
    ELSE NULL::text
END
  built bytea
  hooks_noted boolean not null default false
  pipeline_deleted_at timestamp with time zone
  author_user_ids integer[]
  unknown_author boolean
  constraint artifacts_check CHECK ((num_nonnulls(pipeline_deleted_at, author_user_ids, unknown_author) = ANY (ARRAY[0, 3])))
  constraint artifacts_content_digest_check CHECK ((content_digest ~ '^sha256:[0-9a-f]{64}$'::text))
  constraint artifacts_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text))
  constraint artifacts_entries_check CHECK ((entries > 0))
  constraint artifacts_organization_id_cyclonedx_digest_fkey FOREIGN KEY (organization_id, cyclonedx_digest) REFERENCES artifact_blobs(organization_id, digest)
  constraint artifacts_organization_id_kept_digest_fkey FOREIGN KEY (organization_id, kept_digest) REFERENCES artifact_blobs(organization_id, digest)
  constraint artifacts_organization_id_pipeline_run_id_key UNIQUE (organization_id, pipeline_run_id)
  constraint artifacts_organization_id_spdx_digest_fkey FOREIGN KEY (organization_id, spdx_digest) REFERENCES artifact_blobs(organization_id, digest)
  constraint artifacts_pkey PRIMARY KEY (pipeline_run_id)
  constraint artifacts_size_bytes_check CHECK ((size_bytes > 0))
  constraint artifacts_swept_check CHECK (((swept_at IS NULL) OR (num_nonnulls(spdx_digest, cyclonedx_digest, provenance) = 0)))
  index artifacts_cyclonedx btree (organization_id, cyclonedx_digest)
  index artifacts_digest btree (organization_id, digest)
  index artifacts_kept btree (organization_id, kept_digest)
  index artifacts_spdx btree (organization_id, spdx_digest)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table audit_denials
  organization_id integer not null
  caller text not null
  route text not null
  minute timestamp with time zone not null
  entry_id bigint
  count integer not null default 1
  constraint audit_denials_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint audit_denials_pkey PRIMARY KEY (organization_id, caller, route, minute)
  index audit_denials_entry btree (organization_id, entry_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table audit_entries
  partition by RANGE (at)
  id bigint not null generated always as identity
  organization_id integer not null
  at timestamp with time zone not null default clock_timestamp()
  event text not null
  outcome text not null
  actor_kind text not null
  actor_id integer
  actor_label text not null
  target_kind text
  target_id text
  target_label text
  detail jsonb not null default '{}'::jsonb
  ip text
  request_id text
  transaction_id xid8 not null default pg_current_xact_id()
  constraint audit_entries_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'token'::text, 'scim'::text, 'agent'::text, 'system'::text])))
  constraint audit_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint audit_entries_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'denied'::text, 'failure'::text])))
  constraint audit_entries_pkey PRIMARY KEY (id, at)
  index audit_entries_event btree (organization_id, event, id DESC)
  index audit_entries_newest btree (organization_id, id DESC)
  index audit_entries_target btree (organization_id, target_kind, target_id, id)
  trigger append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_change()
  trigger append_only_table BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  trigger await_seal AFTER INSERT ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION await_seal()
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select to cc_app
  grant insert, select to cc_platform

table audit_entries_rest
  partition: DEFAULT
  id bigint not null generated always as identity
  organization_id integer not null
  at timestamp with time zone not null default clock_timestamp()
  event text not null
  outcome text not null
  actor_kind text not null
  actor_id integer
  actor_label text not null
  target_kind text
  target_id text
  target_label text
  detail jsonb not null default '{}'::jsonb
  ip text
  request_id text
  transaction_id xid8 not null default pg_current_xact_id()
  constraint audit_entries_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['user'::text, 'token'::text, 'scim'::text, 'agent'::text, 'system'::text])))
  constraint audit_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint audit_entries_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'denied'::text, 'failure'::text])))
  constraint audit_entries_rest_pkey PRIMARY KEY (id, at)
  index audit_entries_rest_organization_id_event_id_idx btree (organization_id, event, id DESC)
  index audit_entries_rest_organization_id_id_idx btree (organization_id, id DESC)
  index audit_entries_rest_organization_id_target_kind_target_id_id_idx btree (organization_id, target_kind, target_id, id)
  trigger append_only BEFORE DELETE OR UPDATE ON public.audit_entries_rest FOR EACH ROW EXECUTE FUNCTION refuse_change()
  trigger await_seal AFTER INSERT ON public.audit_entries_rest FOR EACH ROW EXECUTE FUNCTION await_seal()
  no row level security

table audit_heads
  organization_id integer not null
  sealed bytea not null
  constraint audit_heads_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint audit_heads_pkey PRIMARY KEY (organization_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update to cc_platform
  grant select to cc_app

table audit_seals
  organization_id integer not null
  position bigint not null
  entry_id bigint not null
  hash bytea not null
  sealed_at timestamp with time zone not null default now()
  constraint audit_seals_organization_id_entry_id_key UNIQUE (organization_id, entry_id)
  constraint audit_seals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint audit_seals_pkey PRIMARY KEY (organization_id, "position")
  trigger append_only BEFORE DELETE OR UPDATE ON public.audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_change()
  trigger append_only_table BEFORE TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select to cc_app
  grant insert, select to cc_platform

table audit_unsealed
  organization_id integer not null
  entry_id bigint not null
  at timestamp with time zone not null
  constraint audit_unsealed_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint audit_unsealed_pkey PRIMARY KEY (organization_id, entry_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert to cc_app
  grant insert, select, delete to cc_platform

table billing_ingest_sources
  organization_id integer not null
  ingest_id integer not null
  source_id integer not null
  state text not null
  reason text
  constraint billing_ingest_sources_organization_id_ingest_id_fkey FOREIGN KEY (organization_id, ingest_id) REFERENCES billing_ingests(organization_id, id) ON DELETE CASCADE
  constraint billing_ingest_sources_organization_id_source_id_fkey FOREIGN KEY (organization_id, source_id) REFERENCES billing_sources(organization_id, id) ON DELETE CASCADE
  constraint billing_ingest_sources_pkey PRIMARY KEY (organization_id, ingest_id, source_id)
  constraint billing_ingest_sources_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'loaded'::text, 'unchanged'::text, 'partial'::text, 'failed'::text, 'skipped'::text])))
  index billing_ingest_sources_source btree (organization_id, source_id, ingest_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table billing_ingests
  id integer not null generated always as identity
  organization_id integer not null
  trigger text not null
  state text not null default 'running'::text
  look_again boolean not null default false
  started_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  rows_read bigint not null default 0
  records_upserted bigint not null default 0
  records_rejected bigint not null default 0
  anomalies integer not null default 0
  is_requested boolean not null default false
  constraint billing_ingests_check CHECK (((ended_at IS NULL) = (state = 'running'::text)))
  constraint billing_ingests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint billing_ingests_organization_id_id_key UNIQUE (organization_id, id)
  constraint billing_ingests_pkey PRIMARY KEY (id)
  constraint billing_ingests_state_check CHECK ((state = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'failed'::text])))
  constraint billing_ingests_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'request'::text, 'connect'::text, 'upload'::text])))
  UNIQUE index billing_ingests_live btree (organization_id) WHERE (state = 'running'::text)
  index billing_ingests_past btree (ended_at) WHERE (ended_at IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table billing_slices
  id integer not null generated always as identity
  organization_id integer not null
  ingest_id integer not null
  source_id integer not null
  period date
  state text not null
  is_current boolean not null default false
  reason text
  manifest text
  manifest_hash text
  focus_version text
  files integer not null default 0
  rows_read bigint not null default 0
  records integer not null default 0
  records_upserted integer not null default 0
  records_removed integer not null default 0
  records_rejected integer not null default 0
  billed numeric(30,12) not null default 0
  effective numeric(30,12) not null default 0
  list numeric(30,12) not null default 0
  currency text
  provider_names jsonb not null default '{}'::jsonb
  days integer not null default 0
  first_day date
  last_day date
  complete_through date
  errors jsonb not null default '[]'::jsonb
  has_charges boolean not null default false
  rolled_up_at timestamp with time zone
  began_at timestamp with time zone not null default now()
  loaded_at timestamp with time zone
  decided_by integer
  decided_at timestamp with time zone
  content_refused boolean not null default false
  score_at timestamp with time zone
  resources_noted boolean not null default false
  sums_version integer not null default 0
  read_again boolean not null default false
  constraint billing_slices_check CHECK (((NOT is_current) OR (state = 'loaded'::text)))
  constraint billing_slices_check1 CHECK (((period IS NOT NULL) OR (state = ANY (ARRAY['reading'::text, 'refused'::text]))))
  constraint billing_slices_organization_id_decided_by_fkey FOREIGN KEY (organization_id, decided_by) REFERENCES users(organization_id, id)
  constraint billing_slices_organization_id_id_key UNIQUE (organization_id, id)
  constraint billing_slices_organization_id_ingest_id_fkey FOREIGN KEY (organization_id, ingest_id) REFERENCES billing_ingests(organization_id, id)
  constraint billing_slices_organization_id_source_id_fkey FOREIGN KEY (organization_id, source_id) REFERENCES billing_sources(organization_id, id)
  constraint billing_slices_period_check CHECK ((EXTRACT(day FROM period) = (1)::numeric))
  constraint billing_slices_pkey PRIMARY KEY (id)
  constraint billing_slices_state_check CHECK ((state = ANY (ARRAY['reading'::text, 'loaded'::text, 'unchanged'::text, 'waiting'::text, 'refused'::text, 'suspect'::text, 'discarded'::text, 'superseded'::text])))
  UNIQUE index billing_slices_current btree (organization_id, source_id, period) WHERE is_current
  index billing_slices_decided_by btree (organization_id, decided_by)
  index billing_slices_forgettable btree (organization_id, id) WHERE (has_charges AND (NOT is_current) AND (state = ANY (ARRAY['refused'::text, 'discarded'::text, 'superseded'::text])))
  index billing_slices_ingest btree (organization_id, ingest_id, id)
  index billing_slices_past btree (began_at) WHERE ((NOT is_current) AND (NOT has_charges) AND (state = ANY (ARRAY['unchanged'::text, 'waiting'::text, 'refused'::text, 'discarded'::text, 'superseded'::text])))
  UNIQUE index billing_slices_reading btree (organization_id, source_id, period) WHERE (state = 'reading'::text)
  index billing_slices_score btree (score_at) WHERE (score_at IS NOT NULL)
  index billing_slices_source btree (organization_id, source_id, period, id)
  UNIQUE index billing_slices_suspect btree (organization_id, source_id, period) WHERE (state = 'suspect'::text)
  index billing_slices_unnoted btree (organization_id, id) WHERE (is_current AND (NOT resources_noted))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table billing_sources
  id integer not null generated always as identity
  organization_id integer not null
  cloud_account_id integer
  name text
  created_at timestamp with time zone not null default now()
  removed_at timestamp with time zone
  failing_since timestamp with time zone
  late_since timestamp with time zone
  constraint billing_sources_check CHECK ((num_nonnulls(cloud_account_id, name) = 1))
  constraint billing_sources_organization_id_cloud_account_id_fkey FOREIGN KEY (organization_id, cloud_account_id) REFERENCES cloud_accounts(organization_id, id)
  constraint billing_sources_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint billing_sources_organization_id_id_key UNIQUE (organization_id, id)
  constraint billing_sources_pkey PRIMARY KEY (id)
  UNIQUE index billing_sources_account btree (organization_id, cloud_account_id) WHERE (removed_at IS NULL)
  index billing_sources_cloud_account btree (organization_id, cloud_account_id)
  UNIQUE index billing_sources_name btree (organization_id, name) WHERE (removed_at IS NULL)
  index billing_sources_removed btree (organization_id, id) WHERE (removed_at IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table billing_upload_chunks
  organization_id integer not null
  file_id integer not null
  number integer not null
  sealed bytea not null
  constraint billing_upload_chunks_organization_id_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES billing_upload_files(organization_id, id) ON DELETE CASCADE
  constraint billing_upload_chunks_pkey PRIMARY KEY (organization_id, file_id, number)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table billing_upload_files
  id integer not null generated always as identity
  organization_id integer not null
  upload_id integer not null
  name text not null
  bytes bigint not null default 0
  sha256 text
  constraint billing_upload_files_organization_id_id_key UNIQUE (organization_id, id)
  constraint billing_upload_files_organization_id_upload_id_fkey FOREIGN KEY (organization_id, upload_id) REFERENCES billing_uploads(organization_id, id) ON DELETE CASCADE
  constraint billing_upload_files_pkey PRIMARY KEY (id)
  index billing_upload_files_upload btree (organization_id, upload_id, id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table billing_uploads
  id integer not null generated always as identity
  organization_id integer not null
  source_id integer not null
  ingest_id integer
  state text not null default 'receiving'::text
  created_by integer
  created_at timestamp with time zone not null default now()
  touched_at timestamp with time zone not null default now()
  constraint billing_uploads_organization_id_created_by_fkey FOREIGN KEY (organization_id, created_by) REFERENCES users(organization_id, id)
  constraint billing_uploads_organization_id_id_key UNIQUE (organization_id, id)
  constraint billing_uploads_organization_id_ingest_id_fkey FOREIGN KEY (organization_id, ingest_id) REFERENCES billing_ingests(organization_id, id)
  constraint billing_uploads_organization_id_source_id_fkey FOREIGN KEY (organization_id, source_id) REFERENCES billing_sources(organization_id, id) ON DELETE CASCADE
  constraint billing_uploads_pkey PRIMARY KEY (id)
  constraint billing_uploads_state_check CHECK ((state = ANY (ARRAY['receiving'::text, 'waiting'::text, 'taken'::text, 'done'::text])))
  index billing_uploads_created_by btree (organization_id, created_by)
  index billing_uploads_ingest btree (organization_id, ingest_id)
  index billing_uploads_open btree (organization_id, id) WHERE (state <> 'done'::text)
  index billing_uploads_receiving btree (touched_at) WHERE (state = 'receiving'::text)
  index billing_uploads_source btree (organization_id, source_id, id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table budget_figures
  organization_id integer not null
  budget_id integer not null
  basis text not null
  figures jsonb not null
  wanted_at timestamp with time zone
  constraint budget_figures_organization_id_budget_id_fkey FOREIGN KEY (organization_id, budget_id) REFERENCES budgets(organization_id, id) ON DELETE CASCADE
  constraint budget_figures_pkey PRIMARY KEY (organization_id, budget_id)
  index budget_figures_wanted btree (wanted_at) WHERE (wanted_at IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table budget_notices
  organization_id integer not null
  budget_id integer not null
  month date not null
  event text not null
  told_at timestamp with time zone not null default now()
  constraint budget_notices_event_check CHECK ((event = ANY (ARRAY['budget.warn'::text, 'budget.exceeded'::text])))
  constraint budget_notices_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
  constraint budget_notices_organization_id_budget_id_fkey FOREIGN KEY (organization_id, budget_id) REFERENCES budgets(organization_id, id) ON DELETE CASCADE
  constraint budget_notices_pkey PRIMARY KEY (organization_id, budget_id, month, event)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table budgets
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  amount_monthly numeric(30,12) not null
  scope_kind text not null
  scope_value text
  threshold numeric(14,12) not null
  over_budget text not null default 'warn'::text
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  constraint budgets_amount_monthly_check CHECK ((amount_monthly > (0)::numeric))
  constraint budgets_check CHECK (((scope_kind = 'all'::text) = (scope_value IS NULL)))
  constraint budgets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint budgets_organization_id_id_key UNIQUE (organization_id, id)
  constraint budgets_over_budget_check CHECK ((over_budget = ANY (ARRAY['warn'::text, 'approve'::text])))
  constraint budgets_pkey PRIMARY KEY (id)
  constraint budgets_scope_kind_check CHECK ((scope_kind = ANY (ARRAY['all'::text, 'provider'::text, 'service'::text, 'tag'::text, 'account'::text, 'workspace'::text, 'subAccount'::text])))
  constraint budgets_threshold_check CHECK (((threshold > (0)::numeric) AND (threshold <= (1)::numeric)))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table build_caches
  id integer not null generated always as identity
  organization_id integer not null
  pipeline_id integer
  scope text not null
  key text not null
  digest text not null
  size_bytes bigint not null
  created_at timestamp with time zone not null default now()
  used_at timestamp with time zone not null default now()
  constraint build_caches_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text))
  constraint build_caches_key_check CHECK ((key ~ '^[0-9a-f]{64}$'::text))
  constraint build_caches_organization_id_id_key UNIQUE (organization_id, id)
  constraint build_caches_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE SET NULL (pipeline_id)
  constraint build_caches_pipeline_id_scope_key_key UNIQUE (pipeline_id, scope, key)
  constraint build_caches_pkey PRIMARY KEY (id)
  constraint build_caches_scope_check CHECK ((scope = ANY (ARRAY['protected'::text, 'other'::text])))
  index build_caches_digest btree (organization_id, digest)
  index build_caches_pipeline btree (organization_id, pipeline_id)
  index build_caches_used btree (used_at)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cloud_accounts
  id integer not null generated always as identity
  organization_id integer not null
  provider text not null
  account_id text not null
  name text not null
  credentials bytea
  credentials_kind text not null
  billing bytea
  billing_shown jsonb
  regions text[]
  endpoint text
  endpoints jsonb not null default '{}'::jsonb
  runs jsonb
  sync_interval_minutes integer not null default 60
  ingest_interval_hours integer not null default 24
  status text not null default 'pending'::text
  status_reason text
  checks jsonb not null default '[]'::jsonb
  failed_tries integer not null default 0
  next_sync_at timestamp with time zone not null default now()
  validated_at timestamp with time zone
  disconnected_at timestamp with time zone
  version integer not null default 1
  created_by integer
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  next_validation_at timestamp with time zone not null default now()
  refused_syncs integer not null default 0
  health_told text not null default 'unknown'::text
  forgetting boolean not null default false
  purging boolean not null default false
  resources integer not null default 0
  next_ingest_at timestamp with time zone not null default now()
  late_tries integer not null default 0
  constraint cloud_accounts_check CHECK (((credentials IS NULL) = (disconnected_at IS NOT NULL)))
  constraint cloud_accounts_check1 CHECK (((NOT purging) OR (forgetting AND (disconnected_at IS NOT NULL))))
  constraint cloud_accounts_credentials_kind_check CHECK ((credentials_kind = ANY (ARRAY['federation'::text, 'keys'::text])))
  constraint cloud_accounts_health_told_check CHECK ((health_told = ANY (ARRAY['unknown'::text, 'well'::text, 'unwell'::text])))
  constraint cloud_accounts_organization_id_created_by_fkey FOREIGN KEY (organization_id, created_by) REFERENCES users(organization_id, id)
  constraint cloud_accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint cloud_accounts_organization_id_id_key UNIQUE (organization_id, id)
  constraint cloud_accounts_pkey PRIMARY KEY (id)
  constraint cloud_accounts_provider_check CHECK ((provider = ANY (ARRAY['aws'::text, 'azure'::text, 'gcp'::text])))
  constraint cloud_accounts_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'healthy'::text, 'degraded'::text, 'invalid_credentials'::text, 'unreachable'::text])))
  UNIQUE index cloud_accounts_account btree (organization_id, provider, account_id) WHERE (NOT purging)
  index cloud_accounts_created_by btree (organization_id, created_by)
  index cloud_accounts_due btree (next_sync_at) WHERE (disconnected_at IS NULL)
  index cloud_accounts_forgetting btree (organization_id, id) WHERE forgetting
  index cloud_accounts_next_ingest btree (next_ingest_at) WHERE ((disconnected_at IS NULL) AND (billing IS NOT NULL))
  index cloud_accounts_unvalidated btree (next_validation_at) WHERE (disconnected_at IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cloud_places
  id integer not null generated always as identity
  organization_id integer not null
  cloud_account_id integer not null
  region text not null
  service text not null
  looked_at timestamp with time zone
  was_full boolean not null default false
  constraint cloud_places_organization_id_cloud_account_id_fkey FOREIGN KEY (organization_id, cloud_account_id) REFERENCES cloud_accounts(organization_id, id) ON DELETE CASCADE
  constraint cloud_places_organization_id_cloud_account_id_id_key UNIQUE (organization_id, cloud_account_id, id)
  constraint cloud_places_organization_id_id_key UNIQUE (organization_id, id)
  constraint cloud_places_pkey PRIMARY KEY (id)
  UNIQUE index cloud_places_place btree (organization_id, cloud_account_id, region, service)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cloud_resource_pages
  organization_id integer not null
  sync_id integer not null
  place_id integer not null
  number integer not null
  next_cursor text
  listed integer[] not null
  resources integer not null default 0
  added integer not null default 0
  changed integer not null default 0
  constraint cloud_resource_pages_organization_id_sync_id_place_id_fkey FOREIGN KEY (organization_id, sync_id, place_id) REFERENCES cloud_sync_places(organization_id, sync_id, place_id) ON DELETE CASCADE
  constraint cloud_resource_pages_pkey PRIMARY KEY (organization_id, sync_id, place_id, number)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cloud_resources
  id integer not null default (((nextval('cloud_resource_ids'::regclass) * (1327217884)::bigint) % (2147483647)::bigint))::integer
  organization_id integer not null
  cloud_account_id integer not null
  place_id integer
  provider text not null
  cloud_id text not null
  cloud_key uuid not null default (md5(cloud_id))::uuid
  service text not null
  type text not null
  name text not null
  region text not null
  tags jsonb not null
  digest text not null
  state text not null default 'present'::text
  first_seen_at timestamp with time zone not null default now()
  gone_at timestamp with time zone
  last_seen_at timestamp with time zone
  listed_from timestamp with time zone
  constraint cloud_resources_organization_id_cloud_account_id_place_id_fkey FOREIGN KEY (organization_id, cloud_account_id, place_id) REFERENCES cloud_places(organization_id, cloud_account_id, id) ON DELETE CASCADE
  constraint cloud_resources_pkey PRIMARY KEY (organization_id, id)
  constraint cloud_resources_region_check CHECK ((octet_length(region) <= 600))
  constraint cloud_resources_service_check CHECK ((octet_length(service) <= 600))
  constraint cloud_resources_state_check CHECK ((state = ANY (ARRAY['present'::text, 'gone'::text])))
  constraint cloud_resources_type_check CHECK ((octet_length(type) <= 600))
  index cloud_resources_billed btree (organization_id, cloud_key) WHERE (place_id IS NULL)
  UNIQUE index cloud_resources_key btree (organization_id, cloud_key, cloud_account_id) INCLUDE (id, provider, service, type, region, state)
  index cloud_resources_other btree (organization_id, ((md5(other_cloud_id(cloud_id)))::uuid)) WHERE (other_cloud_id(cloud_id) IS NOT NULL)
  index cloud_resources_place btree (organization_id, cloud_account_id, place_id) INCLUDE (state)
  index cloud_resources_terms gin (cloud_terms(organization_id, cloud_account_id, provider, service, type, region, state, tags, name, cloud_id, cloud_key))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cloud_sync_places
  organization_id integer not null
  sync_id integer not null
  place_id integer not null
  state text not null
  reason text
  seen integer not null default 0
  gone integer not null default 0
  coverage text
  readable jsonb
  constraint cloud_sync_places_coverage_check CHECK ((coverage = ANY (ARRAY['full'::text, 'tagged_only'::text, 'partial'::text])))
  constraint cloud_sync_places_organization_id_place_id_fkey FOREIGN KEY (organization_id, place_id) REFERENCES cloud_places(organization_id, id) ON DELETE CASCADE
  constraint cloud_sync_places_organization_id_sync_id_fkey FOREIGN KEY (organization_id, sync_id) REFERENCES cloud_syncs(organization_id, id) ON DELETE CASCADE
  constraint cloud_sync_places_pkey PRIMARY KEY (organization_id, sync_id, place_id)
  constraint cloud_sync_places_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'ok'::text, 'excluded'::text, 'denied'::text, 'failed'::text])))
  index cloud_sync_places_place btree (organization_id, place_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cloud_syncs
  id integer not null generated always as identity
  organization_id integer not null
  cloud_account_id integer not null
  trigger text not null
  state text not null default 'running'::text
  reason text
  coverage text
  seen integer not null default 0
  added integer not null default 0
  changed integer not null default 0
  gone integer not null default 0
  started_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  constraint cloud_syncs_coverage_check CHECK ((coverage = ANY (ARRAY['full'::text, 'tagged_only'::text, 'partial'::text])))
  constraint cloud_syncs_organization_id_cloud_account_id_fkey FOREIGN KEY (organization_id, cloud_account_id) REFERENCES cloud_accounts(organization_id, id) ON DELETE CASCADE
  constraint cloud_syncs_organization_id_id_key UNIQUE (organization_id, id)
  constraint cloud_syncs_pkey PRIMARY KEY (id)
  constraint cloud_syncs_state_check CHECK ((state = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'failed'::text])))
  constraint cloud_syncs_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'request'::text, 'connect'::text])))
  index cloud_syncs_account btree (organization_id, cloud_account_id, id)
  index cloud_syncs_ended btree (ended_at)
  UNIQUE index cloud_syncs_live btree (cloud_account_id) WHERE (state = 'running'::text)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table configuration_versions
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  number integer not null
  source text not null default 'api'::text
  commit_sha text
  author_user_ids integer[] not null default '{}'::integer[]
  unknown_author boolean not null default false
  files bytea not null
  files_sha256 text not null
  file_names text[] not null
  size_bytes integer not null
  created_at timestamp with time zone not null default now()
  pull_request_id integer
  commit_author character varying(300)
  commit_message character varying(4000)
  local_modules boolean
  file_blobs text[]
  constraint configuration_versions_organization_id_id_key UNIQUE (organization_id, id)
  constraint configuration_versions_organization_id_pull_request_id_fkey FOREIGN KEY (organization_id, pull_request_id) REFERENCES git_pull_requests(organization_id, id)
  constraint configuration_versions_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint configuration_versions_pkey PRIMARY KEY (id)
  constraint configuration_versions_source_check CHECK ((source = ANY (ARRAY['api'::text, 'git'::text])))
  constraint configuration_versions_workspace_id_number_key UNIQUE (workspace_id, number)
  index configuration_versions_files btree (organization_id, workspace_id, files_sha256)
  index configuration_versions_pull_request btree (organization_id, pull_request_id)
  index configuration_versions_workspace btree (organization_id, workspace_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_commitments
  organization_id integer not null
  slice_id integer not null
  source_id integer not null
  day date not null
  provider text not null
  commitment_id text not null
  name text
  type text
  category text
  currency text not null
  used numeric(30,12) not null
  unused numeric(30,12) not null
  saved numeric(30,12)
  index cost_commitments_slice btree (organization_id, slice_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_daily
  organization_id integer not null
  slice_id integer not null
  source_id integer not null
  day date not null
  provider text not null
  service text not null
  sub_account_id text
  region text
  charge_category text not null
  charge_class text
  owner text not null
  workspace_id integer
  currency text not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  service_hash integer not null default hashtext(service)
  sub_account_hash integer not null default hashtext(COALESCE(sub_account_id, ''::text))
  constraint cost_daily_check CHECK (((owner = 'workspace'::text) = (workspace_id IS NOT NULL)))
  constraint cost_daily_owner_check CHECK ((owner = ANY (ARRAY['workspace'::text, 'unmanaged'::text, 'none'::text])))
  index cost_daily_service btree (organization_id, slice_id, service_hash)
  index cost_daily_slice btree (organization_id, slice_id, day)
  index cost_daily_sub_account btree (organization_id, slice_id, sub_account_hash, service_hash)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_days
  organization_id integer not null
  slice_id integer not null
  source_id integer not null
  day date not null
  dimension text not null
  key text
  key_hash integer not null
  provider text not null
  currency text not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  tag_key text
  index cost_days_slice btree (organization_id, slice_id, dimension, key_hash)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_monthly
  organization_id integer not null
  slice_id integer not null
  source_id integer not null
  month date not null
  provider text not null
  service text not null
  sub_account_id text
  region text
  charge_category text not null
  owner text not null
  workspace_id integer
  currency text not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  index cost_monthly_slice btree (organization_id, slice_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_rebuilds
  organization_id integer not null
  workspace_id integer not null
  since date not null
  version integer not null default 1
  noted_at timestamp with time zone not null default now()
  constraint cost_rebuilds_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint cost_rebuilds_pkey PRIMARY KEY (organization_id, workspace_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_resources
  organization_id integer not null
  slice_id integer not null
  resource_id text not null
  provider text not null
  service text not null
  sub_account_id text
  region text
  name text
  type text
  currency text not null
  first_day date not null
  last_day date not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  name_key uuid not null default (md5(billed_name(resource_id, provider, service)))::uuid
  recent_days date[]
  recent_effective numeric(30,12)[]
  index cost_resources_name btree (organization_id, name_key)
  index cost_resources_slice btree (organization_id, slice_id, name_key)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_tag_daily
  organization_id integer not null
  slice_id integer not null
  source_id integer not null
  day date not null
  provider text not null
  service text not null
  sub_account_id text
  region text
  charge_category text not null
  charge_class text
  owner text not null
  workspace_id integer
  currency text not null
  key_hash integer not null
  tag_key text not null
  tag_value text not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  constraint cost_tag_daily_check CHECK (((owner = 'workspace'::text) = (workspace_id IS NOT NULL)))
  constraint cost_tag_daily_owner_check CHECK ((owner = ANY (ARRAY['workspace'::text, 'unmanaged'::text, 'none'::text])))
  index cost_tag_daily_slice btree (organization_id, slice_id, key_hash, hashtext(tag_value))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_tag_keys
  organization_id integer not null
  slice_id integer not null
  tag_key text not null
  currency text not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  index cost_tag_keys_slice btree (organization_id, slice_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_tag_monthly
  organization_id integer not null
  slice_id integer not null
  source_id integer not null
  month date not null
  provider text not null
  service text not null
  sub_account_id text
  region text
  charge_category text not null
  owner text not null
  workspace_id integer
  currency text not null
  key_hash integer not null
  tag_key text not null
  tag_value text not null
  billed numeric(30,12) not null
  effective numeric(30,12) not null
  list numeric(30,12) not null
  index cost_tag_monthly_slice btree (organization_id, slice_id, key_hash)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_unit_values
  organization_id integer not null
  unit_id integer not null
  day date not null
  value numeric(30,12) not null
  constraint cost_unit_values_organization_id_unit_id_fkey FOREIGN KEY (organization_id, unit_id) REFERENCES cost_units(organization_id, id) ON DELETE CASCADE
  constraint cost_unit_values_pkey PRIMARY KEY (organization_id, unit_id, day)
  constraint cost_unit_values_value_check CHECK (((value >= (0)::numeric) AND (value <= '1000000000000000'::numeric)))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_units
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  unit text not null
  scope_kind text not null
  scope_value text
  version integer not null default 1
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  constraint cost_units_check CHECK (((scope_kind = 'all'::text) = (scope_value IS NULL)))
  constraint cost_units_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
  constraint cost_units_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint cost_units_organization_id_id_key UNIQUE (organization_id, id)
  constraint cost_units_pkey PRIMARY KEY (id)
  constraint cost_units_scope_kind_check CHECK ((scope_kind = ANY (ARRAY['all'::text, 'provider'::text, 'service'::text, 'tag'::text, 'account'::text, 'workspace'::text, 'subAccount'::text])))
  constraint cost_units_scope_value_check CHECK (((char_length(scope_value) >= 1) AND (char_length(scope_value) <= 1000)))
  constraint cost_units_unit_check CHECK (((char_length(unit) >= 1) AND (char_length(unit) <= 60)))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table cost_versions
  organization_id integer not null
  version bigint not null default 1
  changed_at timestamp with time zone not null default now()
  tidied_version bigint not null default 0
  merged_version bigint not null default 0
  scopes_version bigint not null default 0
  score_scopes_at timestamp with time zone
  constraint cost_versions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint cost_versions_pkey PRIMARY KEY (organization_id)
  index cost_versions_to_score btree (score_scopes_at) WHERE (score_scopes_at IS NOT NULL)
  index cost_versions_unmerged btree (organization_id) WHERE (merged_version < version)
  index cost_versions_untidied btree (organization_id) WHERE (tidied_version < version)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table deployment_hosts
  pipeline_run_id integer not null
  agent_id integer not null
  organization_id integer not null
  position integer not null
  state text not null default 'pending'::text
  batch integer
  runs_new boolean not null default false
  was_online_lately boolean not null default false
  wanted text
  wanted_at timestamp with time zone
  stop_requested_at timestamp with time zone
  claimed_at timestamp with time zone
  leases_lost integer not null default 0
  fence integer not null default 0
  lease_until timestamp with time zone
  log_batch integer not null default 0
  result_fence integer
  result_hash bytea
  hooks jsonb not null default '[]'::jsonb
  message character varying(500)
  before_digest text
  before_run_id integer
  after_digest text
  after_run_id integer
  started_at timestamp with time zone
  ended_at timestamp with time zone
  caught_up_at timestamp with time zone
  log_bytes integer not null default 0
  constraint deployment_hosts_batch_check CHECK ((batch > 0))
  constraint deployment_hosts_organization_id_agent_id_fkey FOREIGN KEY (organization_id, agent_id) REFERENCES agents(organization_id, id) ON DELETE CASCADE
  constraint deployment_hosts_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES deployments(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint deployment_hosts_pkey PRIMARY KEY (pipeline_run_id, agent_id)
  constraint deployment_hosts_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'updating'::text, 'rolling_back'::text, 'staged'::text, 'healthy'::text, 'failed'::text, 'rolled_back'::text, 'stuck'::text, 'unreachable'::text])))
  constraint deployment_hosts_wanted_check CHECK ((wanted = ANY (ARRAY['deploy'::text, 'install'::text, 'activate'::text, 'rollback'::text, 'verify'::text])))
  index deployment_hosts_agent btree (organization_id, agent_id, pipeline_run_id DESC)
  index deployment_hosts_behind btree (agent_id, pipeline_run_id) WHERE ((state = 'unreachable'::text) AND (caught_up_at IS NULL))
  index deployment_hosts_deployment btree (organization_id, pipeline_run_id, "position")
  index deployment_hosts_lease btree (lease_until) WHERE (lease_until IS NOT NULL)
  index deployment_hosts_stopping btree (stop_requested_at) WHERE ((stop_requested_at IS NOT NULL) AND (wanted IS NOT NULL))
  index deployment_hosts_wanted btree (agent_id, pipeline_run_id) WHERE (wanted IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table deployments
  pipeline_run_id integer not null
  organization_id integer not null
  pipeline_id integer not null
  workspace_id integer not null
  via text not null default 'agents'::text
  strategy jsonb not null
  artifact_run_id integer not null
  hooks jsonb not null default '{}'::jsonb
  probe jsonb
  keep integer not null default 3
  outputs jsonb not null default '{}'::jsonb
  variables bytea
  earlier_run_id integer
  batch integer not null default 0
  batches integer not null default 0
  confirmed integer[] not null default '{}'::integer[]
  confirm_step integer
  stop text
  rolled_back_to integer
  warnings text[] not null default '{}'::text[]
  workspace_run_id integer
  agents_until timestamp with time zone not null
  outcome text
  started_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  signed_order jsonb
  probe_asked_at timestamp(3) with time zone
  probe_ok_at timestamp(3) with time zone
  probe_failures integer not null default 0
  labels jsonb
  constraint deployments_check CHECK (((outcome IS NULL) = (ended_at IS NULL)))
  constraint deployments_keep_check CHECK (((keep >= 2) AND (keep <= 20)))
  constraint deployments_organization_id_artifact_run_id_fkey FOREIGN KEY (organization_id, artifact_run_id) REFERENCES artifacts(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint deployments_organization_id_earlier_run_id_fkey FOREIGN KEY (organization_id, earlier_run_id) REFERENCES deployments(organization_id, pipeline_run_id) ON DELETE SET NULL (earlier_run_id)
  constraint deployments_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE CASCADE
  constraint deployments_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint deployments_organization_id_pipeline_run_id_key UNIQUE (organization_id, pipeline_run_id)
  constraint deployments_organization_id_rolled_back_to_fkey FOREIGN KEY (organization_id, rolled_back_to) REFERENCES deployments(organization_id, pipeline_run_id) ON DELETE SET NULL (rolled_back_to)
  constraint deployments_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint deployments_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE SET NULL (workspace_run_id)
  constraint deployments_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text])))
  constraint deployments_pkey PRIMARY KEY (pipeline_run_id)
  constraint deployments_stop_check CHECK ((stop = ANY (ARRAY['canceled'::text, 'replaced'::text])))
  constraint deployments_via_check CHECK ((via = ANY (ARRAY['agents'::text, 'workspace'::text])))
  index deployments_artifact btree (organization_id, artifact_run_id)
  index deployments_earlier btree (organization_id, earlier_run_id)
  index deployments_latest btree (organization_id, pipeline_id, started_at DESC, pipeline_run_id DESC)
  UNIQUE index deployments_live btree (pipeline_id) WHERE (ended_at IS NULL)
  index deployments_rolled_back btree (organization_id, rolled_back_to)
  index deployments_workspace btree (organization_id, workspace_id)
  index deployments_workspace_run btree (organization_id, workspace_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table domain_claims
  organization_id integer not null
  domain text not null
  position integer not null
  proof_token text not null
  proved_at timestamp with time zone
  checked_at timestamp with time zone
  created_at timestamp with time zone not null default now()
  constraint domain_claims_domain_check CHECK ((domain = lower(domain)))
  constraint domain_claims_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint domain_claims_pkey PRIMARY KEY (organization_id, domain)
  index domain_claims_checked btree (checked_at)
  index domain_claims_domain btree (domain)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table estimate_checks
  organization_id integer not null
  workspace_run_id integer not null
  workspace_id integer not null
  after_days smallint not null
  day date not null
  currency text not null
  predicted numeric(30,12) not null
  billed numeric(30,12) not null
  coverage double precision not null
  resources jsonb not null
  checked_at timestamp with time zone not null default now()
  constraint estimate_checks_after_days_check CHECK ((after_days = ANY (ARRAY[7, 30])))
  constraint estimate_checks_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint estimate_checks_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint estimate_checks_pkey PRIMARY KEY (organization_id, workspace_run_id, after_days)
  index estimate_checks_workspace btree (organization_id, workspace_id, day)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table exchange_rates
  id integer not null generated always as identity
  organization_id integer not null
  month date not null
  base text not null
  quote text not null
  rate numeric(30,12) not null
  kind text not null
  created_by integer
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  constraint exchange_rates_base_check CHECK ((base ~ '^[A-Z]{3}$'::text))
  constraint exchange_rates_check CHECK (((quote ~ '^[A-Z]{3}$'::text) AND (quote <> base)))
  constraint exchange_rates_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'ecb'::text])))
  constraint exchange_rates_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
  constraint exchange_rates_organization_id_created_by_fkey FOREIGN KEY (organization_id, created_by) REFERENCES users(organization_id, id)
  constraint exchange_rates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint exchange_rates_organization_id_id_key UNIQUE (organization_id, id)
  constraint exchange_rates_organization_id_month_base_quote_key UNIQUE (organization_id, month, base, quote)
  constraint exchange_rates_pkey PRIMARY KEY (id)
  constraint exchange_rates_rate_check CHECK ((rate > (0)::numeric))
  index exchange_rates_created_by btree (organization_id, created_by)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table focus_charges
  partition by RANGE (period)
  organization_id integer not null default (current_setting('cc.organization_id'::text))::integer
  slice_id integer not null default (current_setting('cc.slice_id'::text))::integer
  period date not null default (current_setting('cc.period'::text))::date
  day date not null
  digest uuid not null
  provider text not null
  billed_cost numeric(30,12) not null
  effective_cost numeric(30,12) not null
  list_cost numeric(30,12)
  contracted_cost numeric(30,12)
  pricing_quantity numeric(38,15)
  consumed_quantity numeric(38,15)
  commitment_discount_quantity numeric(38,15)
  pricing_currency_effective_cost numeric(30,12)
  charge_period_start timestamp with time zone
  charge_period_end timestamp with time zone
  list_unit_price numeric(38,15)
  contracted_unit_price numeric(38,15)
  pricing_currency_list_unit_price numeric(38,15)
  pricing_currency_contracted_unit_price numeric(38,15)
  billing_period_start date
  billing_period_end date
  billing_currency text not null
  charge_category text not null
  service_name text not null
  provider_name text not null
  service_provider_name text
  host_provider_name text
  publisher_name text
  invoice_issuer_name text
  invoice_id text
  billing_account_id text
  billing_account_name text
  billing_account_type text
  sub_account_id text
  sub_account_name text
  sub_account_type text
  charge_class text
  charge_description text
  charge_frequency text
  service_category text
  service_subcategory text
  region_id text
  region_name text
  availability_zone text
  resource_id text
  resource_name text
  resource_type text
  sku_id text
  sku_meter text
  sku_price_id text
  sku_price_details text
  pricing_category text
  pricing_unit text
  pricing_currency text
  consumed_unit text
  commitment_discount_id text
  commitment_discount_name text
  commitment_discount_category text
  commitment_discount_type text
  commitment_discount_status text
  commitment_discount_unit text
  capacity_reservation_id text
  capacity_reservation_status text
  tags jsonb
  extra jsonb
  index focus_charges_slice btree (organization_id, slice_id, day)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant select, delete to cc_app
  grant select, delete to cc_platform

table git_claims
  connection_id integer not null
  organization_id integer not null
  host text not null
  repository_id text not null
  branch text not null
  busy_with integer
  busy_until timestamp with time zone
  created_at timestamp with time zone not null default now()
  constraint git_claims_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES git_connections(organization_id, id) ON DELETE CASCADE
  constraint git_claims_pkey PRIMARY KEY (connection_id)
  UNIQUE index git_claims_branch btree (host, repository_id, branch)
  index git_claims_connection btree (organization_id, connection_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table git_connections
  id integer not null generated always as identity
  organization_id integer not null
  provider text not null
  product text not null
  host text not null
  origin text not null
  token bytea not null
  repo_type text not null
  default_repo text
  default_branch text
  status text not null
  status_reason text
  checked_at timestamp with time zone not null default now()
  created_by integer
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  webhook_secret bytea
  webhook_url text
  webhook_signed boolean not null default false
  webhook_state text not null default 'none'::text
  webhook_reason text
  failed_checks integer not null default 0
  webhook_busy_until timestamp with time zone
  constraint git_connections_organization_id_created_by_fkey FOREIGN KEY (organization_id, created_by) REFERENCES users(organization_id, id)
  constraint git_connections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint git_connections_organization_id_id_key UNIQUE (organization_id, id)
  constraint git_connections_pkey PRIMARY KEY (id)
  constraint git_connections_product_check CHECK ((product = ANY (ARRAY['github'::text, 'gitlab'::text, 'bitbucket-cloud'::text, 'bitbucket-data-center'::text])))
  constraint git_connections_provider_check CHECK ((provider = ANY (ARRAY['github'::text, 'gitlab'::text, 'bitbucket'::text])))
  constraint git_connections_repo_type_check CHECK ((repo_type = ANY (ARRAY['infra'::text, 'application'::text])))
  constraint git_connections_status_check CHECK ((status = ANY (ARRAY['healthy'::text, 'invalid_token'::text, 'unreachable'::text, 'initializing'::text, 'error'::text])))
  constraint git_connections_webhook_state_check CHECK ((webhook_state = ANY (ARRAY['none'::text, 'pending'::text, 'active'::text, 'unavailable'::text])))
  index git_connections_checked btree (checked_at)
  index git_connections_created_by btree (organization_id, created_by)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table git_deliveries
  id integer not null generated always as identity
  organization_id integer not null
  connection_id integer not null
  delivery_id text not null
  branches text[] not null default '{}'::text[]
  pull_request integer
  outcome text
  received_at timestamp with time zone not null default now()
  handled_at timestamp with time zone
  tags text[] not null default '{}'::text[]
  repository text
  constraint git_deliveries_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES git_connections(organization_id, id) ON DELETE CASCADE
  constraint git_deliveries_organization_id_id_key UNIQUE (organization_id, id)
  constraint git_deliveries_pkey PRIMARY KEY (id)
  constraint git_deliveries_repository_check CHECK ((octet_length(repository) <= 1024))
  index git_deliveries_connection btree (organization_id, connection_id)
  UNIQUE index git_deliveries_once btree (connection_id, delivery_id)
  index git_deliveries_received btree (received_at)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table git_hydrations
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  connection_id integer
  configuration_version_id integer not null
  repository_id text not null
  branch text not null
  state text not null default 'queued'::text
  reason text
  decision text
  commit_sha text
  pull_request_url text
  files jsonb
  differences bytea
  created_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  workspace_run_id integer
  shown_differences bytea
  constraint git_hydrations_decision_check CHECK ((decision = ANY (ARRAY['theirs'::text, 'ours'::text])))
  constraint git_hydrations_organization_id_configuration_version_id_fkey FOREIGN KEY (organization_id, configuration_version_id) REFERENCES configuration_versions(organization_id, id) ON DELETE CASCADE
  constraint git_hydrations_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES git_connections(organization_id, id) ON DELETE SET NULL (connection_id)
  constraint git_hydrations_organization_id_id_key UNIQUE (organization_id, id)
  constraint git_hydrations_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint git_hydrations_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE SET NULL (workspace_run_id)
  constraint git_hydrations_pkey PRIMARY KEY (id)
  constraint git_hydrations_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'written'::text, 'proposed'::text, 'diverged'::text, 'superseded'::text, 'failed'::text])))
  index git_hydrations_connection btree (organization_id, connection_id)
  index git_hydrations_version btree (organization_id, configuration_version_id)
  index git_hydrations_workspace btree (organization_id, workspace_id, id DESC)
  index git_hydrations_workspace_run btree (organization_id, workspace_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table git_pull_requests
  id integer not null generated always as identity
  organization_id integer not null
  connection_id integer
  repo text not null
  number integer not null
  comment_id text
  busy_until timestamp with time zone
  faults jsonb not null default '{}'::jsonb
  created_at timestamp with time zone not null default now()
  head_sha text
  constraint git_pull_requests_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES git_connections(organization_id, id) ON DELETE SET NULL (connection_id)
  constraint git_pull_requests_organization_id_id_key UNIQUE (organization_id, id)
  constraint git_pull_requests_pkey PRIMARY KEY (id)
  index git_pull_requests_connection btree (organization_id, connection_id)
  UNIQUE index git_pull_requests_number btree (connection_id, repo, number)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table group_mappings
  id integer not null generated always as identity
  organization_id integer not null
  group_name text not null
  role member_role not null
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  mapped_by integer
  idp_saved_by integer[]
  constraint group_mappings_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint group_mappings_organization_id_id_key UNIQUE (organization_id, id)
  constraint group_mappings_organization_id_mapped_by_fkey FOREIGN KEY (organization_id, mapped_by) REFERENCES users(organization_id, id) ON DELETE SET NULL (mapped_by)
  constraint group_mappings_pkey PRIMARY KEY (id)
  constraint group_mappings_role_check CHECK ((role < 'Owner'::member_role))
  index group_mappings_mapped_by btree (organization_id, mapped_by)
  UNIQUE index group_mappings_name btree (organization_id, lower(group_name))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table group_members
  organization_id integer not null
  group_id integer not null
  user_id integer not null
  added_at timestamp with time zone not null default now()
  display text
  constraint group_members_organization_id_group_id_fkey FOREIGN KEY (organization_id, group_id) REFERENCES groups(organization_id, id) ON DELETE CASCADE
  constraint group_members_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint group_members_pkey PRIMARY KEY (organization_id, group_id, user_id)
  index group_members_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table groups
  id integer not null generated always as identity
  organization_id integer not null
  public_id uuid not null default gen_random_uuid()
  display_name text not null
  external_id text
  row_version integer not null default 1
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  constraint groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint groups_organization_id_id_key UNIQUE (organization_id, id)
  constraint groups_pkey PRIMARY KEY (id)
  constraint groups_public_id_key UNIQUE (public_id)
  UNIQUE index groups_display_name btree (organization_id, lower(display_name))
  index groups_external_id btree (organization_id, external_id) WHERE (external_id IS NOT NULL)
  index groups_scim_order btree (organization_id, created_at, id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table idempotency_keys
  organization_id integer not null
  caller text not null
  key text not null
  request_hash bytea not null
  status integer
  response jsonb
  created_at timestamp with time zone not null default now()
  constraint idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint idempotency_keys_pkey PRIMARY KEY (organization_id, caller, key)
  index idempotency_keys_age btree (created_at)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table issuer_keys
  id integer not null generated always as identity
  organization_id integer not null
  private_key bytea not null
  signs_from timestamp with time zone not null
  created_at timestamp with time zone not null default now()
  constraint issuer_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint issuer_keys_organization_id_id_key UNIQUE (organization_id, id)
  constraint issuer_keys_pkey PRIMARY KEY (id)
  index issuer_keys_newest btree (organization_id, signs_from DESC)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table log_lines
  partition by RANGE (month)
  organization_id integer not null
  stage_id integer not null
  month date not null
  seq bigint not null
  at timestamp with time zone not null default now()
  level text not null
  line text not null
  host character varying(100)
  constraint log_lines_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text])))
  constraint log_lines_pkey PRIMARY KEY (stage_id, seq, month)
  index log_lines_outcomes btree (organization_id, stage_id, seq) WHERE (line ~ ': (Creation|Modifications|Destruction) (complete|errored) after [0-9]'::text)
  index log_lines_problems btree (organization_id, stage_id, seq) WHERE (level = ANY (ARRAY['warn'::text, 'error'::text]))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table log_lines_rest
  partition: DEFAULT
  organization_id integer not null
  stage_id integer not null
  month date not null
  seq bigint not null
  at timestamp with time zone not null default now()
  level text not null
  line text not null
  host character varying(100)
  constraint log_lines_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text])))
  constraint log_lines_rest_pkey PRIMARY KEY (stage_id, seq, month)
  index log_lines_rest_organization_id_stage_id_seq_idx btree (organization_id, stage_id, seq) WHERE (level = ANY (ARRAY['warn'::text, 'error'::text]))
  index log_lines_rest_organization_id_stage_id_seq_idx1 btree (organization_id, stage_id, seq) WHERE (line ~ ': (Creation|Modifications|Destruction) (complete|errored) after [0-9]'::text)
  no row level security

table mails
  id integer not null generated always as identity
  public_id uuid not null default gen_random_uuid()
  organization_id integer not null
  kind text not null
  user_id integer not null
  workspace_run_id integer
  detail jsonb not null default '{}'::jsonb
  attempts integer not null default 0
  created_at timestamp with time zone not null default now()
  available_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  outcome text
  last_error text
  application_run_id integer
  leased_until timestamp with time zone
  is_link boolean not null default (kind = ANY (ARRAY['invitation'::text, 'password_reset'::text]))
  constraint mails_check1 CHECK (((ended_at IS NULL) = (outcome IS NULL)))
  constraint mails_organization_id_application_run_id_fkey FOREIGN KEY (organization_id, application_run_id) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint mails_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint mails_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint mails_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint mails_outcome_check CHECK ((outcome = ANY (ARRAY['sent'::text, 'moot'::text, 'failed'::text])))
  constraint mails_pkey PRIMARY KEY (id)
  constraint mails_public_id_key UNIQUE (public_id)
  constraint mails_run_check CHECK (((kind = 'approval_waiting'::text) = (num_nonnulls(workspace_run_id, application_run_id) = 1)))
  index mails_application_run btree (organization_id, application_run_id)
  index mails_ended btree (ended_at) WHERE (ended_at IS NOT NULL)
  index mails_leased btree (organization_id) WHERE (leased_until IS NOT NULL)
  UNIQUE index mails_of_application_once btree (organization_id, application_run_id, user_id, COALESCE((detail ->> 'stage'::text), ''::text))
  UNIQUE index mails_once btree (organization_id, workspace_run_id, user_id, COALESCE((detail ->> 'stage'::text), ''::text))
  index mails_user btree (organization_id, user_id)
  index mails_waiting btree (organization_id, is_link, available_at, id) WHERE (ended_at IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table merged_slices
  id integer not null generated always as identity
  organization_id integer not null
  period date not null
  made_of text not null
  constraint merged_slices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint merged_slices_organization_id_period_key UNIQUE (organization_id, period)
  constraint merged_slices_pkey PRIMARY KEY (id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table notice_readers
  organization_id integer not null
  notice_id bigint not null
  user_id integer not null
  notification_id integer not null
  capability text
  due_at timestamp with time zone
  mail_id integer
  constraint notice_readers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint notice_readers_organization_id_notice_id_fkey FOREIGN KEY (organization_id, notice_id) REFERENCES notices(organization_id, id) ON DELETE CASCADE
  constraint notice_readers_organization_id_notification_id_fkey FOREIGN KEY (organization_id, notification_id) REFERENCES notifications(organization_id, id) ON DELETE CASCADE
  constraint notice_readers_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint notice_readers_pkey PRIMARY KEY (organization_id, notice_id, user_id, notification_id)
  index notice_readers_channel btree (organization_id, notification_id)
  index notice_readers_due btree (due_at, organization_id, user_id) WHERE ((due_at IS NOT NULL) AND (mail_id IS NULL))
  index notice_readers_mail btree (organization_id, mail_id) WHERE (mail_id IS NOT NULL)
  index notice_readers_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table notices
  id bigint not null generated always as identity
  public_id uuid not null default gen_random_uuid()
  organization_id integer not null
  event text not null
  subject_kind text not null
  subject_id text not null
  subject_label text not null
  dedupe_key text not null
  severity text not null
  title text not null
  lines jsonb not null
  path text not null
  detail jsonb not null
  created_at timestamp with time zone not null default now()
  constraint notices_organization_id_event_subject_kind_subject_id_dedup_key UNIQUE (organization_id, event, subject_kind, subject_id, dedupe_key)
  constraint notices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint notices_organization_id_id_key UNIQUE (organization_id, id)
  constraint notices_pkey PRIMARY KEY (id)
  constraint notices_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text])))
  index notices_age btree (created_at)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table notification_deliveries
  id bigint not null generated always as identity
  public_id uuid not null default gen_random_uuid()
  organization_id integer not null
  notification_id integer not null
  notice_id bigint not null
  attempts integer not null default 0
  created_at timestamp with time zone not null default now()
  available_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  outcome text
  status smallint
  last_error text
  constraint notification_deliveries_check CHECK (((ended_at IS NULL) = (outcome IS NULL)))
  constraint notification_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint notification_deliveries_organization_id_notice_id_fkey FOREIGN KEY (organization_id, notice_id) REFERENCES notices(organization_id, id) ON DELETE CASCADE
  constraint notification_deliveries_organization_id_notification_id_fkey FOREIGN KEY (organization_id, notification_id) REFERENCES notifications(organization_id, id) ON DELETE CASCADE
  constraint notification_deliveries_organization_id_notification_id_not_key UNIQUE (organization_id, notification_id, notice_id)
  constraint notification_deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['sent'::text, 'failed'::text, 'moot'::text])))
  constraint notification_deliveries_pkey PRIMARY KEY (id)
  index notification_deliveries_ended btree (ended_at) WHERE (ended_at IS NOT NULL)
  index notification_deliveries_notice btree (organization_id, notice_id)
  index notification_deliveries_waiting btree (notification_id, available_at, id) WHERE (ended_at IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table notifications
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  kind text not null
  url bytea
  url_shown text
  secret bytea
  recipients jsonb
  events jsonb not null
  scope_kind text
  scope_value text
  minimum_impact numeric(30,12)
  digest text not null
  enabled boolean not null default true
  failures integer not null default 0
  failing_since timestamp with time zone
  told_at timestamp with time zone
  last_sent_at timestamp with time zone
  last_status smallint
  last_error text
  is_slow boolean not null default false
  retry_at timestamp with time zone not null default now()
  leased_until timestamp with time zone
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  tested_at timestamp with time zone
  old_secret bytea
  old_secret_until timestamp with time zone
  constraint notifications_check CHECK (((kind = 'email'::text) = (url IS NULL)))
  constraint notifications_check1 CHECK (((url IS NULL) = (url_shown IS NULL)))
  constraint notifications_check2 CHECK (((kind = 'webhook'::text) = (secret IS NOT NULL)))
  constraint notifications_check3 CHECK (((kind = 'email'::text) = (recipients IS NOT NULL)))
  constraint notifications_check4 CHECK (((scope_kind IS NULL) OR (scope_kind = 'all'::text) OR (scope_value IS NOT NULL)))
  constraint notifications_check5 CHECK (((old_secret IS NULL) = (old_secret_until IS NULL)))
  constraint notifications_digest_check CHECK ((digest = ANY (ARRAY['immediate'::text, 'daily'::text])))
  constraint notifications_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'slack'::text, 'teams'::text, 'email'::text])))
  constraint notifications_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint notifications_organization_id_id_key UNIQUE (organization_id, id)
  constraint notifications_pkey PRIMARY KEY (id)
  index notifications_leased btree (organization_id) WHERE (leased_until IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table organizations
  id integer not null generated always as identity
  public_id uuid not null default gen_random_uuid()
  slug text not null
  name text not null
  status text not null default 'active'::text
  settings jsonb not null default '{}'::jsonb
  created_at timestamp with time zone not null default now()
  external_id text not null default ('cc-'::text || gen_random_uuid())
  constraint organizations_external_id_key UNIQUE (external_id)
  constraint organizations_pkey PRIMARY KEY (id)
  constraint organizations_public_id_key UNIQUE (public_id)
  constraint organizations_slug_check CHECK ((slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
  constraint organizations_slug_key UNIQUE (slug)
  constraint organizations_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text])))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((id = (current_setting('cc.organization_id'::text))::integer)) with check ((id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update to cc_platform
  grant select, update to cc_app

table outbox
  id bigint not null generated always as identity
  organization_id integer
  kind text not null
  workflow_type text
  workflow_id text not null
  task_queue text
  signal_name text
  args jsonb not null default '[]'::jsonb
  options jsonb not null default '{}'::jsonb
  dedupe_key text not null
  attempts integer not null default 0
  created_at timestamp with time zone not null default now()
  available_at timestamp with time zone not null default now()
  done_at timestamp with time zone
  dead_at timestamp with time zone
  last_error text
  constraint outbox_dedupe_key_key UNIQUE (dedupe_key)
  constraint outbox_kind_check CHECK ((kind = ANY (ARRAY['start'::text, 'signal'::text, 'cancel'::text])))
  constraint outbox_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint outbox_pkey PRIMARY KEY (id)
  index outbox_lines btree (COALESCE(organization_id, 0), available_at, id) WHERE (COALESCE(done_at, dead_at) IS NULL)
  index outbox_order btree (workflow_id, id) WHERE ((done_at IS NULL) AND (dead_at IS NULL))
  index outbox_organization btree (organization_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table person_makers
  organization_id integer not null
  user_id integer not null
  made_by integer not null
  what text not null
  at timestamp with time zone not null default clock_timestamp()
  constraint person_makers_organization_id_made_by_fkey FOREIGN KEY (organization_id, made_by) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint person_makers_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint person_makers_pkey PRIMARY KEY (organization_id, user_id, made_by)
  constraint person_makers_what_check CHECK ((what = ANY (ARRAY['invited'::text, 'readdressed'::text, 'reactivated'::text, 'promoted'::text])))
  index person_makers_made_by btree (organization_id, made_by)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table pipeline_authorship
  id integer not null generated always as identity
  organization_id integer not null
  pipeline_id integer not null
  user_id integer not null
  what text not null
  at timestamp with time zone not null default now()
  deployed_at timestamp with time zone
  part text not null
  constraint pipeline_authorship_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE CASCADE
  constraint pipeline_authorship_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint pipeline_authorship_part_check CHECK ((part = ANY (ARRAY['build'::text, 'deploy'::text])))
  constraint pipeline_authorship_pkey PRIMARY KEY (id)
  index pipeline_authorship_open btree (organization_id, pipeline_id) WHERE (deployed_at IS NULL)
  index pipeline_authorship_pipeline btree (organization_id, pipeline_id)
  index pipeline_authorship_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table pipeline_labels
  organization_id integer not null
  pipeline_id integer not null
  key text not null
  value text not null
  constraint pipeline_labels_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint pipeline_labels_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE CASCADE
  constraint pipeline_labels_pkey PRIMARY KEY (organization_id, key, value, pipeline_id)
  index pipeline_labels_owner btree (organization_id, pipeline_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table pipeline_runs
  id integer not null default nextval('run_ids'::regclass)
  organization_id integer not null
  pipeline_id integer not null
  number integer not null
  workspace_run_id integer
  created_at timestamp with time zone not null default now()
  constraint pipeline_runs_organization_id_id_key UNIQUE (organization_id, id)
  constraint pipeline_runs_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE CASCADE
  constraint pipeline_runs_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint pipeline_runs_pipeline_id_number_key UNIQUE (pipeline_id, number)
  constraint pipeline_runs_pkey PRIMARY KEY (id)
  index pipeline_runs_pipeline btree (organization_id, pipeline_id, number DESC)
  index pipeline_runs_workspace_run btree (organization_id, workspace_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table pipeline_variables
  id integer not null generated always as identity
  organization_id integer not null
  pipeline_id integer not null
  key text not null
  phase text not null
  sensitive boolean not null default false
  value bytea not null
  value_mac bytea not null
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  constraint pipeline_variables_organization_id_id_key UNIQUE (organization_id, id)
  constraint pipeline_variables_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE CASCADE
  constraint pipeline_variables_phase_check CHECK ((phase = ANY (ARRAY['build'::text, 'deploy'::text])))
  constraint pipeline_variables_pipeline_id_phase_key_key UNIQUE (pipeline_id, phase, key)
  constraint pipeline_variables_pkey PRIMARY KEY (id)
  index pipeline_variables_pipeline btree (organization_id, pipeline_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table pipelines
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  kind text not null
  managed boolean not null default false
  app_git_connection_id integer
  app_repo text
  target_workspace_id integer
  strategy text
  last_number integer not null default 0
  created_at timestamp with time zone not null default now()
  last_workspace_run_id integer
  last_application_run_id integer
  app_branch text
  app_path text not null default ''::text
  trigger_push boolean not null default false
  trigger_paths text[] not null default '{}'::text[]
  trigger_tags text[] not null default '{}'::text[]
  rollback_approval text not null default 'always'::text
  sbom text not null default 'optional'::text
  agent_wait_minutes integer not null default 30
  updated_at timestamp with time zone not null default now()
  webhook_state text not null default 'none'::text
  webhook_reason text
  labels jsonb not null default '{}'::jsonb
  description text not null default ''::text
  constraint pipelines_agent_wait_minutes_check CHECK (((agent_wait_minutes >= 1) AND (agent_wait_minutes <= 1440)))
  constraint pipelines_app_branch_check CHECK (((octet_length(app_branch) >= 1) AND (octet_length(app_branch) <= 1024)))
  constraint pipelines_app_path_check CHECK ((octet_length(app_path) <= 1024))
  constraint pipelines_application CHECK (((kind = 'application'::text) OR ((app_branch IS NULL) AND (app_path = ''::text) AND (NOT trigger_push) AND (trigger_paths = '{}'::text[]) AND (trigger_tags = '{}'::text[]) AND (rollback_approval = 'always'::text) AND (sbom = 'optional'::text) AND (agent_wait_minutes = 30))))
  constraint pipelines_description_check CHECK ((length(description) <= 500))
  constraint pipelines_kind_check CHECK ((kind = ANY (ARRAY['application'::text, 'infrastructure'::text])))
  constraint pipelines_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text))
  constraint pipelines_organization_id_app_git_connection_id_fkey FOREIGN KEY (organization_id, app_git_connection_id) REFERENCES git_connections(organization_id, id) ON DELETE SET NULL (app_git_connection_id)
  constraint pipelines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint pipelines_organization_id_id_key UNIQUE (organization_id, id)
  constraint pipelines_organization_id_last_application_run_id_fkey FOREIGN KEY (organization_id, last_application_run_id) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE SET NULL (last_application_run_id)
  constraint pipelines_organization_id_last_workspace_run_id_fkey FOREIGN KEY (organization_id, last_workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE SET NULL (last_workspace_run_id)
  constraint pipelines_organization_id_target_workspace_id_fkey FOREIGN KEY (organization_id, target_workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE SET NULL (target_workspace_id)
  constraint pipelines_pkey PRIMARY KEY (id)
  constraint pipelines_rollback_approval_check CHECK ((rollback_approval = ANY (ARRAY['always'::text, 'once'::text])))
  constraint pipelines_sbom_check CHECK ((sbom = ANY (ARRAY['optional'::text, 'required'::text])))
  constraint pipelines_source CHECK (((kind = 'application'::text) OR ((app_git_connection_id IS NULL) AND (app_repo IS NULL))))
  constraint pipelines_target CHECK (((kind = 'application'::text) OR (target_workspace_id IS NOT NULL)))
  constraint pipelines_trigger_paths_check CHECK ((cardinality(trigger_paths) <= 50))
  constraint pipelines_trigger_tags_check CHECK ((cardinality(trigger_tags) <= 50))
  constraint pipelines_webhook_state_check CHECK ((webhook_state = ANY (ARRAY['none'::text, 'pending'::text, 'active'::text, 'unavailable'::text])))
  index pipelines_app_git_connection btree (organization_id, app_git_connection_id)
  index pipelines_last_application_run btree (organization_id, last_application_run_id)
  index pipelines_last_workspace_run btree (organization_id, last_workspace_run_id)
  UNIQUE index pipelines_managed btree (target_workspace_id) WHERE managed
  UNIQUE index pipelines_name btree (organization_id, lower(name))
  index pipelines_newest_run btree (organization_id, COALESCE(last_workspace_run_id, 0), target_workspace_id) WHERE managed
  index pipelines_ordered btree (organization_id, name, id)
  index pipelines_own btree (organization_id, id) WHERE (NOT managed)
  index pipelines_triggered btree (organization_id, app_git_connection_id) WHERE (trigger_push OR (trigger_tags <> '{}'::text[]))
  index pipelines_workspace btree (organization_id, target_workspace_id)
  trigger keep_changed_labels AFTER UPDATE OF labels ON public.pipelines FOR EACH ROW WHEN ((new.labels IS DISTINCT FROM old.labels)) EXECUTE FUNCTION keep_pipeline_labels()
  trigger keep_labels AFTER INSERT ON public.pipelines FOR EACH ROW WHEN ((new.labels <> '{}'::jsonb)) EXECUTE FUNCTION keep_pipeline_labels()
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table plan_changes
  organization_id integer not null
  workspace_run_id integer not null
  first_seq integer not null
  last_seq integer not null
  body bytea not null
  attempt text not null
  constraint plan_changes_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint plan_changes_pkey PRIMARY KEY (organization_id, workspace_run_id, attempt, last_seq)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table plan_parts
  organization_id integer not null
  workspace_run_id integer not null
  attempt text not null
  part text not null
  seq integer not null
  body bytea not null
  constraint plan_parts_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint plan_parts_part_check CHECK ((part = ANY (ARRAY['plan_file'::text, 'lock_file'::text, 'modules'::text, 'plan_json'::text])))
  constraint plan_parts_pkey PRIMARY KEY (workspace_run_id, attempt, part, seq)
  index plan_parts_run btree (organization_id, workspace_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table plans
  workspace_run_id integer not null
  organization_id integer not null
  engine_version text not null
  configuration_sha256 text not null
  variables_mac text not null
  state_lineage text
  state_serial bigint
  policies_version text not null
  prices_version text not null
  sensitive_variables text[] not null default '{}'::text[]
  created_at timestamp with time zone not null default now()
  attempt text not null
  pieces jsonb not null
  overview jsonb
  resource_types text[]
  budget_reach jsonb not null default '[]'::jsonb
  estimate jsonb
  constraint plans_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint plans_pkey PRIMARY KEY (workspace_run_id)
  index plans_run btree (organization_id, workspace_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table policies
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  rego text not null
  enforcement text not null
  workspaces jsonb not null
  version integer not null default 1
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  constraint policies_enforcement_check CHECK ((enforcement = ANY (ARRAY['mandatory'::text, 'advisory'::text])))
  constraint policies_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint policies_organization_id_id_key UNIQUE (organization_id, id)
  constraint policies_pkey PRIMARY KEY (id)
  UNIQUE index policies_name btree (organization_id, lower(name))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table price_learnings
  organization_id integer not null
  claimed_version bigint not null
  claimed_at timestamp with time zone not null
  learned_version bigint
  learned_at timestamp with time zone
  currency text
  constraint price_learnings_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint price_learnings_pkey PRIMARY KEY (organization_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table prices
  id integer not null generated always as identity
  organization_id integer not null
  provider text not null
  resource_type text not null
  match jsonb not null default '{}'::jsonb
  monthly_price numeric(30,12) not null
  currency text not null
  source text not null default 'manual'::text
  valid_from date not null default CURRENT_DATE
  version integer not null default 1
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  enabled boolean not null default true
  learned jsonb
  learned_key uuid
  constraint prices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
  constraint prices_learned_check CHECK ((((learned IS NOT NULL) = (source = 'bill'::text)) AND ((learned IS NULL) = (learned_key IS NULL))))
  constraint prices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint prices_organization_id_id_key UNIQUE (organization_id, id)
  constraint prices_pkey PRIMARY KEY (id)
  UNIQUE index prices_learned btree (organization_id, learned_key) WHERE (learned_key IS NOT NULL)
  index prices_type btree (organization_id, resource_type)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table recovery_codes
  id integer not null generated always as identity
  organization_id integer not null
  user_id integer not null
  hash bytea not null
  used_at timestamp with time zone
  created_at timestamp with time zone not null default now()
  constraint recovery_codes_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint recovery_codes_organization_id_user_id_hash_key UNIQUE (organization_id, user_id, hash)
  constraint recovery_codes_pkey PRIMARY KEY (id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table reference_months
  month date not null
  ask_after timestamp with time zone not null
  day date
  constraint reference_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
  constraint reference_months_pkey PRIMARY KEY (month)
  row level security
  policy platform to cc_platform using (true) with check (true)
  grant insert, select, update, delete to cc_platform

table reference_rates
  month date not null
  currency text not null
  rate numeric(30,12) not null
  constraint reference_rates_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
  constraint reference_rates_month_fkey FOREIGN KEY (month) REFERENCES reference_months(month)
  constraint reference_rates_pkey PRIMARY KEY (month, currency)
  constraint reference_rates_rate_check CHECK ((rate > (0)::numeric))
  row level security
  policy platform to cc_platform using (true) with check (true)
  grant insert, select, update, delete to cc_platform

table release_hooks
  organization_id integer not null
  pipeline_run_id integer not null
  name text not null
  path text not null
  sha256 text
  text text
  constraint release_hooks_name_check CHECK ((name = ANY (ARRAY['install'::text, 'activate'::text, 'health'::text, 'rollback'::text])))
  constraint release_hooks_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES artifacts(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint release_hooks_pkey PRIMARY KEY (pipeline_run_id, name)
  constraint release_hooks_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
  index release_hooks_artifact btree (organization_id, pipeline_run_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table request_counts
  subject text not null
  minute integer not null
  count integer not null
  constraint request_counts_pkey PRIMARY KEY (subject, minute)
  index request_counts_minute btree (minute)
  row level security
  policy platform to cc_platform using (true) with check (true)
  grant insert, select, update, delete to cc_platform

table retired_values
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  key text not null
  kind text not null
  value bytea not null
  value_mac bytea not null
  retired_at timestamp with time zone not null default now()
  constraint retired_values_kind_check CHECK ((kind = ANY (ARRAY['terraform'::text, 'env'::text])))
  constraint retired_values_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint retired_values_organization_id_workspace_id_kind_key_value__key UNIQUE (organization_id, workspace_id, kind, key, value_mac)
  constraint retired_values_pkey PRIMARY KEY (id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, delete to cc_app
  grant insert, select, delete to cc_platform

table role_grants
  organization_id integer not null
  user_id integer not null
  source text not null
  role member_role not null
  granted_at timestamp with time zone not null default now()
  constraint role_grants_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint role_grants_pkey PRIMARY KEY (organization_id, user_id, source)
  constraint role_grants_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'scim'::text, 'saml'::text])))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table run_comments
  id integer not null generated always as identity
  organization_id integer not null
  workspace_run_id integer
  pipeline_run_id integer
  user_id integer not null
  text text not null
  created_at timestamp with time zone not null default now()
  constraint run_comments_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint run_comments_organization_id_id_key UNIQUE (organization_id, id)
  constraint run_comments_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES application_runs(organization_id, pipeline_run_id) ON DELETE CASCADE
  constraint run_comments_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint run_comments_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint run_comments_pkey PRIMARY KEY (id)
  constraint run_comments_run_check CHECK ((num_nonnulls(workspace_run_id, pipeline_run_id) = 1))
  constraint run_comments_text_check CHECK (((length(text) >= 1) AND (length(text) <= 4000)))
  index run_comments_application_run btree (organization_id, pipeline_run_id, id)
  index run_comments_run btree (organization_id, workspace_run_id, id)
  index run_comments_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select to cc_app
  grant insert, select to cc_platform

table saml_configurations
  organization_id integer not null
  idp_entity_id text not null
  sso_url text not null
  sso_binding text not null
  slo_url text
  slo_binding text
  slo_response_url text
  attr_email text
  attr_name text
  attr_groups text
  default_role member_role not null default 'Viewer'::member_role
  enabled boolean not null default false
  edited_by integer
  editor_role member_role not null
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  saved_by integer[] not null default '{}'::integer[]
  editor_platform_admin boolean not null default false
  constraint saml_configurations_check CHECK (((slo_url IS NULL) = (slo_binding IS NULL)))
  constraint saml_configurations_default_role_check CHECK ((default_role < 'Owner'::member_role))
  constraint saml_configurations_organization_id_edited_by_fkey FOREIGN KEY (organization_id, edited_by) REFERENCES users(organization_id, id)
  constraint saml_configurations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint saml_configurations_pkey PRIMARY KEY (organization_id)
  constraint saml_configurations_slo_binding_check CHECK ((slo_binding = ANY (ARRAY['redirect'::text, 'post'::text])))
  constraint saml_configurations_sso_binding_check CHECK ((sso_binding = ANY (ARRAY['redirect'::text, 'post'::text])))
  index saml_configurations_editor btree (organization_id, edited_by)
  index saml_configurations_issuer btree (idp_entity_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table saml_group_names
  organization_id integer not null
  user_id integer not null
  name text not null
  constraint saml_group_names_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  index saml_group_names_name btree (organization_id, lower(name))
  UNIQUE index saml_group_names_user btree (organization_id, user_id, lower(name))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table saml_idp_certificates
  organization_id integer not null
  fingerprint text not null
  pem text not null
  not_before timestamp with time zone not null
  not_after timestamp with time zone not null
  warned_at timestamp with time zone
  created_at timestamp with time zone not null default now()
  constraint saml_idp_certificates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint saml_idp_certificates_pkey PRIMARY KEY (organization_id, fingerprint)
  index saml_idp_certificates_unwarned btree (not_after) WHERE (warned_at IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table saml_requests
  id text not null
  organization_id integer not null
  kind text not null
  relay_state text not null
  target text
  browser_hash bytea
  user_id integer
  name_id text
  session_index text
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone not null
  taken_at timestamp with time zone
  constraint saml_requests_kind_check CHECK ((kind = ANY (ARRAY['login'::text, 'test'::text, 'logout'::text])))
  constraint saml_requests_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint saml_requests_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint saml_requests_pkey PRIMARY KEY (id)
  constraint saml_requests_relay_state_key UNIQUE (relay_state)
  index saml_requests_expiry btree (expires_at)
  index saml_requests_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table saml_seen
  organization_id integer not null
  message_id text not null
  expires_at timestamp with time zone not null
  constraint saml_seen_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint saml_seen_pkey PRIMARY KEY (organization_id, message_id)
  index saml_seen_expiry btree (expires_at)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table saml_sp_keys
  organization_id integer not null
  private_key bytea not null
  certificate text not null
  created_at timestamp with time zone not null default now()
  constraint saml_sp_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint saml_sp_keys_pkey PRIMARY KEY (organization_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table saml_traces
  id integer not null generated always as identity
  organization_id integer not null
  kind text not null
  outcome text not null
  step text not null
  cause text
  detail jsonb not null default '{}'::jsonb
  request_id text
  created_at timestamp with time zone not null default now()
  constraint saml_traces_kind_check CHECK ((kind = ANY (ARRAY['login'::text, 'test'::text, 'logout'::text])))
  constraint saml_traces_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint saml_traces_organization_id_id_key UNIQUE (organization_id, id)
  constraint saml_traces_outcome_check CHECK ((outcome = ANY (ARRAY['success'::text, 'failure'::text])))
  constraint saml_traces_pkey PRIMARY KEY (id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table schema_migrations
  name text not null
  applied_at timestamp with time zone not null default now()
  constraint schema_migrations_pkey PRIMARY KEY (name)
  no row level security
  grant select to cc_app
  grant select to cc_platform

table scim_log
  id bigint not null generated always as identity
  organization_id integer not null
  at timestamp with time zone not null default now()
  token_id integer
  token_name text not null
  method text not null
  path text not null
  status integer not null
  scim_type text
  detail text
  target_kind text
  target_id uuid
  target_label text
  changes jsonb not null default '{}'::jsonb
  request_id text not null
  constraint scim_log_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint scim_log_pkey PRIMARY KEY (id)
  index scim_log_newest btree (organization_id, id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, delete to cc_app
  grant insert, select, delete to cc_platform

table second_factors
  organization_id integer not null
  user_id integer not null
  secret bytea not null
  last_step bigint
  created_at timestamp with time zone not null default now()
  constraint second_factors_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint second_factors_pkey PRIMARY KEY (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table sessions
  id integer not null generated always as identity
  organization_id integer not null
  user_id integer not null
  token_hash bytea not null
  kind text not null default 'password'::text
  role_ceiling member_role
  saml_name_id text
  saml_session_index text
  ip text
  user_agent text
  created_at timestamp with time zone not null default now()
  last_seen_at timestamp with time zone not null default now()
  expires_at timestamp with time zone not null
  revoked_at timestamp with time zone
  saml_name_id_format text
  saml_name_qualifier text
  saml_sp_name_qualifier text
  idp_saved_by integer[]
  constraint sessions_kind_check CHECK ((kind = ANY (ARRAY['password'::text, 'saml'::text])))
  constraint sessions_organization_id_id_key UNIQUE (organization_id, id)
  constraint sessions_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint sessions_pkey PRIMARY KEY (id)
  constraint sessions_token_hash_key UNIQUE (token_hash)
  index sessions_age btree (expires_at)
  index sessions_saml btree (organization_id, saml_name_id) WHERE ((kind = 'saml'::text) AND (revoked_at IS NULL))
  index sessions_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table sign_in_failures
  subject bytea not null
  failures integer not null
  window_started_at timestamp with time zone not null
  locked_until timestamp with time zone
  in_flight integer not null default 0
  in_flight_until timestamp with time zone not null default now()
  constraint sign_in_failures_pkey PRIMARY KEY (subject)
  index sign_in_failures_age btree (window_started_at)
  row level security
  policy platform to cc_platform using (true) with check (true)
  grant insert, select, update, delete to cc_platform

table signing_keys
  id integer not null generated always as identity
  organization_id integer not null
  key_id text not null
  public_key text not null
  private_key bytea not null
  endorsements jsonb not null default '[]'::jsonb
  created_at timestamp with time zone not null default now()
  retired_at timestamp with time zone
  constraint signing_keys_key_id_check CHECK ((key_id ~ '^sha256:[0-9a-f]{64}$'::text))
  constraint signing_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint signing_keys_organization_id_id_key UNIQUE (organization_id, id)
  constraint signing_keys_organization_id_key_id_key UNIQUE (organization_id, key_id)
  constraint signing_keys_pkey PRIMARY KEY (id)
  UNIQUE index signing_keys_current btree (organization_id) WHERE (retired_at IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table stages
  id integer not null generated always as identity
  organization_id integer not null
  workspace_run_id integer
  pipeline_run_id integer
  name text not null
  position integer not null
  state text not null default 'pending'::text
  by text
  started_at timestamp with time zone
  ended_at timestamp with time zone
  created_month date not null default (date_trunc('month'::text, now()))::date
  last_seq bigint not null default 0
  log_bytes bigint not null default 0
  constraint stages_check CHECK ((num_nonnulls(workspace_run_id, pipeline_run_id) = 1))
  constraint stages_organization_id_id_key UNIQUE (organization_id, id)
  constraint stages_organization_id_pipeline_run_id_fkey FOREIGN KEY (organization_id, pipeline_run_id) REFERENCES pipeline_runs(organization_id, id) ON DELETE CASCADE
  constraint stages_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint stages_pkey PRIMARY KEY (id)
  constraint stages_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'queued'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text, 'canceled'::text])))
  UNIQUE index stages_pipeline_run btree (organization_id, pipeline_run_id, name) WHERE (pipeline_run_id IS NOT NULL)
  UNIQUE index stages_workspace_run btree (organization_id, workspace_run_id, name) WHERE (workspace_run_id IS NOT NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table state_outputs
  organization_id integer not null
  state_version_id integer not null
  first_seq integer not null
  last_seq integer not null
  body bytea not null
  constraint state_outputs_organization_id_state_version_id_fkey FOREIGN KEY (organization_id, state_version_id) REFERENCES state_versions(organization_id, id) ON DELETE CASCADE
  constraint state_outputs_pkey PRIMARY KEY (state_version_id, organization_id, last_seq)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table state_pieces
  organization_id integer not null
  state_version_id integer not null
  first_seq integer not null
  last_seq integer not null
  body bytea not null
  constraint state_pieces_organization_id_state_version_id_fkey FOREIGN KEY (organization_id, state_version_id) REFERENCES state_versions(organization_id, id) ON DELETE CASCADE
  constraint state_pieces_pkey PRIMARY KEY (state_version_id, organization_id, last_seq)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table state_resources
  organization_id integer not null
  state_version_id integer not null
  first_seq integer not null
  last_seq integer not null
  body bytea not null
  constraint state_resources_organization_id_state_version_id_fkey FOREIGN KEY (organization_id, state_version_id) REFERENCES state_versions(organization_id, id) ON DELETE CASCADE
  constraint state_resources_pkey PRIMARY KEY (state_version_id, organization_id, last_seq)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table state_versions
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  serial bigint not null
  lineage text not null
  body bytea
  body_sha256 text not null
  status text not null default 'finalized'::text
  reason text
  workspace_run_id integer
  user_id integer
  created_by text not null
  created_at timestamp with time zone not null default now()
  size_bytes integer
  body_md5 text
  managed_resources integer
  omitted_resources integer
  omitted_outputs integer
  generation integer not null default 0
  held_sha256 text
  constraint state_versions_organization_id_id_key UNIQUE (organization_id, id)
  constraint state_versions_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint state_versions_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint state_versions_pkey PRIMARY KEY (id)
  constraint state_versions_status_check CHECK ((status = ANY (ARRAY['finalized'::text, 'quarantined'::text])))
  index state_versions_newest btree (organization_id, workspace_id, generation DESC, serial DESC)
  UNIQUE index state_versions_serial btree (workspace_id, generation, serial) WHERE (status = 'finalized'::text)
  index state_versions_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table tokens
  id integer not null generated always as identity
  organization_id integer not null
  kind text not null
  user_id integer
  name text not null
  prefix text not null
  hash bytea not null
  role member_role
  workspace_run_id integer
  run_phase text
  fence integer
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone
  last_used_at timestamp with time zone
  revoked_at timestamp with time zone
  idp_saved_by integer[]
  agent_id integer
  constraint tokens_agent_check CHECK (((kind <> 'agt'::text) OR (agent_id IS NOT NULL)))
  constraint tokens_hash_key UNIQUE (hash)
  constraint tokens_kind_check CHECK ((kind = ANY (ARRAY['pat'::text, 'scim'::text, 'agt'::text, 'run'::text])))
  constraint tokens_organization_id_agent_id_fkey FOREIGN KEY (organization_id, agent_id) REFERENCES agents(organization_id, id) ON DELETE CASCADE
  constraint tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint tokens_organization_id_id_key UNIQUE (organization_id, id)
  constraint tokens_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint tokens_organization_id_workspace_run_id_fkey FOREIGN KEY (organization_id, workspace_run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE CASCADE
  constraint tokens_pkey PRIMARY KEY (id)
  constraint tokens_run_phase_check CHECK ((run_phase = ANY (ARRAY['plan'::text, 'apply'::text])))
  index tokens_agent btree (organization_id, agent_id)
  index tokens_run btree (organization_id, workspace_run_id)
  index tokens_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table unlearned_prices
  id integer not null generated always as identity
  organization_id integer not null
  key uuid not null
  provider text not null
  resource_type text not null
  match jsonb not null
  region text
  because text not null
  sample_size integer not null
  spread double precision
  from_day date not null
  to_day date not null
  constraint unlearned_prices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint unlearned_prices_organization_id_key_key UNIQUE (organization_id, key)
  constraint unlearned_prices_pkey PRIMARY KEY (id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table user_tokens
  id integer not null generated always as identity
  organization_id integer not null
  user_id integer not null
  purpose text not null
  hash bytea not null
  expires_at timestamp with time zone not null
  used_at timestamp with time zone
  created_at timestamp with time zone not null default now()
  shown boolean not null default false
  constraint user_tokens_hash_key UNIQUE (hash)
  constraint user_tokens_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id) ON DELETE CASCADE
  constraint user_tokens_pkey PRIMARY KEY (id)
  constraint user_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['invitation'::text, 'password_reset'::text, 'second_factor'::text])))
  index user_tokens_age btree (expires_at)
  index user_tokens_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table users
  id integer not null generated always as identity
  organization_id integer not null
  public_id uuid not null default gen_random_uuid()
  email text
  user_name text
  external_id text
  name text not null default ''::text
  password_hash text
  platform_admin boolean not null default false
  active boolean not null default true
  deprovisioned_at timestamp with time zone
  row_version integer not null default 1
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  mfa_enabled boolean not null default false
  profile jsonb not null default '{}'::jsonb
  first_signed_in_at timestamp with time zone
  constraint users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint users_organization_id_id_key UNIQUE (organization_id, id)
  constraint users_pkey PRIMARY KEY (id)
  constraint users_public_id_key UNIQUE (public_id)
  UNIQUE index users_email btree (organization_id, lower(email)) WHERE (deprovisioned_at IS NULL)
  index users_external_id btree (organization_id, external_id) WHERE ((external_id IS NOT NULL) AND (deprovisioned_at IS NULL))
  index users_removed_email btree (organization_id, lower(email)) WHERE (deprovisioned_at IS NOT NULL)
  index users_removed_user_name btree (organization_id, lower(user_name)) WHERE (deprovisioned_at IS NOT NULL)
  index users_scim_emails gin (scim_emails(profile, email)) WHERE (deprovisioned_at IS NULL)
  index users_scim_order btree (organization_id, created_at, id) WHERE (deprovisioned_at IS NULL)
  index users_sign_in btree (lower(email)) WHERE (deprovisioned_at IS NULL)
  UNIQUE index users_user_name btree (organization_id, lower(COALESCE(user_name, email))) WHERE (deprovisioned_at IS NULL)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_authorship
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  user_id integer not null
  what text not null
  at timestamp with time zone not null default now()
  applied_at timestamp with time zone
  constraint workspace_authorship_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint workspace_authorship_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint workspace_authorship_pkey PRIMARY KEY (id)
  index workspace_authorship_open btree (organization_id, workspace_id) WHERE (applied_at IS NULL)
  index workspace_authorship_user btree (organization_id, user_id)
  index workspace_authorship_workspace btree (organization_id, workspace_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_labels
  organization_id integer not null
  workspace_id integer not null
  key text not null
  value text not null
  constraint workspace_labels_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint workspace_labels_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint workspace_labels_pkey PRIMARY KEY (organization_id, key, value, workspace_id)
  index workspace_labels_owner btree (organization_id, workspace_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_locks
  workspace_id integer not null
  organization_id integer not null
  kind text not null
  lock_id text
  info jsonb
  user_id integer
  workspace_run_id integer
  label text not null
  reason text
  since timestamp with time zone not null default now()
  constraint workspace_locks_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'run'::text, 'cli'::text])))
  constraint workspace_locks_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint workspace_locks_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint workspace_locks_pkey PRIMARY KEY (workspace_id)
  index workspace_locks_user btree (organization_id, user_id)
  index workspace_locks_workspace btree (organization_id, workspace_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_resources
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  cloud_id text not null
  cloud_key uuid not null default (md5(cloud_id))::uuid
  address text not null
  type text not null
  provider text not null
  attributes jsonb not null
  held_from date not null
  held_to date
  also_held boolean not null default false
  name_key uuid not null default (md5(cloud_name(cloud_id)))::uuid
  run_id integer
  is_confirmed boolean not null default false
  confirmed_from date
  holding_from date
  holding_id integer
  constraint workspace_resources_organization_id_run_id_fkey FOREIGN KEY (organization_id, run_id) REFERENCES workspace_runs(organization_id, id) ON DELETE SET NULL (run_id)
  constraint workspace_resources_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint workspace_resources_pkey PRIMARY KEY (id)
  constraint workspace_resources_provider_check CHECK ((provider = ANY (ARRAY['aws'::text, 'azure'::text, 'gcp'::text])))
  index workspace_resources_also_held btree (organization_id, workspace_id, id) WHERE (also_held AND (held_to IS NULL))
  index workspace_resources_holders btree (organization_id, cloud_key, held_to DESC, COALESCE(holding_from, held_from) DESC, COALESCE(holding_id, id) DESC)
  index workspace_resources_name btree (organization_id, name_key)
  index workspace_resources_of btree (organization_id, workspace_id, cloud_key)
  index workspace_resources_other btree (organization_id, workspace_id) WHERE ((held_to IS NULL) AND is_other_cloud_id(cloud_id))
  index workspace_resources_run btree (organization_id, run_id)
  index workspace_resources_unconfirmed btree (organization_id, workspace_id) WHERE ((held_to IS NULL) AND (confirmed_from IS NULL))
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_runs
  id integer not null default nextval('run_ids'::regclass)
  organization_id integer not null
  workspace_id integer not null
  kind text not null
  destroy boolean not null default false
  phase text not null
  reason text
  message text
  configuration_version_id integer not null
  overrides bytea
  author_user_id integer
  author_token_id integer
  authorship_through integer not null default 0
  plan_digest text
  summary jsonb
  cost jsonb
  gates jsonb not null default '[]'::jsonb
  found jsonb
  cancel_requested_at timestamp with time zone
  cancel_requested_by integer
  approval_expires_at timestamp with time zone
  engine_run_id text
  created_at timestamp with time zone not null default now()
  started_at timestamp with time zone
  ended_at timestamp with time zone
  waits_for_slot_since timestamp with time zone
  origin text not null
  approval_reasons text[] not null default '{}'::text[]
  confirm boolean not null default false
  start_message text
  changes integer default ((COALESCE(((summary ->> 'add'::text))::integer, 0) + COALESCE(((summary ->> 'change'::text))::integer, 0)) + COALESCE(((summary ->> 'destroy'::text))::integer, 0))
  overrides_by integer[] not null default '{}'::integer[]
  overrides_mac bytea
  variables_digest text
  unseen_because text
  constraint workspace_runs_approval_reasons_check CHECK ((approval_reasons <@ ARRAY['production'::text, 'budget'::text, 'confirm'::text]))
  constraint workspace_runs_kind_check CHECK ((kind = ANY (ARRAY['apply'::text, 'plan'::text])))
  constraint workspace_runs_organization_id_author_token_id_fkey FOREIGN KEY (organization_id, author_token_id) REFERENCES tokens(organization_id, id)
  constraint workspace_runs_organization_id_author_user_id_fkey FOREIGN KEY (organization_id, author_user_id) REFERENCES users(organization_id, id)
  constraint workspace_runs_organization_id_configuration_version_id_fkey FOREIGN KEY (organization_id, configuration_version_id) REFERENCES configuration_versions(organization_id, id)
  constraint workspace_runs_organization_id_id_key UNIQUE (organization_id, id)
  constraint workspace_runs_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint workspace_runs_origin_check CHECK ((origin = ANY (ARRAY['person'::text, 'push'::text, 'pull_request'::text, 'schedule'::text, 'drift'::text, 'deployment'::text])))
  constraint workspace_runs_person_check CHECK (((origin <> 'person'::text) OR (author_user_id IS NOT NULL)))
  constraint workspace_runs_phase_check CHECK ((phase = ANY (ARRAY['queued'::text, 'awaiting_plan_approval'::text, 'planning'::text, 'awaiting_approval'::text, 'apply_queued'::text, 'applying'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])))
  constraint workspace_runs_pkey PRIMARY KEY (id)
  constraint workspace_runs_start_message_check CHECK (((char_length(start_message) >= 1) AND (char_length(start_message) <= 500)))
  constraint workspace_runs_unseen_because_check CHECK ((unseen_because = ANY (ARRAY['files'::text, 'variables'::text, 'modules'::text, 'unknown_modules'::text]))) NOT VALID
  index workspace_runs_applied btree (organization_id, ended_at) WHERE (kind = 'apply'::text)
  index workspace_runs_applies btree (organization_id, workspace_id, id DESC) WHERE (kind = 'apply'::text)
  index workspace_runs_author btree (organization_id, author_user_id, id DESC)
  index workspace_runs_configuration btree (organization_id, configuration_version_id)
  index workspace_runs_created btree (organization_id, created_at, id)
  index workspace_runs_failed btree (organization_id, ended_at) WHERE (phase = 'failed'::text)
  index workspace_runs_history btree (organization_id, ended_at) INCLUDE (kind, phase, reason, created_at, started_at, changes) WHERE (ended_at IS NOT NULL)
  index workspace_runs_history_of_workspace btree (organization_id, workspace_id, ended_at) INCLUDE (kind, phase, reason, created_at, started_at, changes) WHERE (ended_at IS NOT NULL)
  index workspace_runs_live btree (organization_id, id) WHERE (phase = ANY (ARRAY['queued'::text, 'awaiting_plan_approval'::text, 'planning'::text, 'awaiting_approval'::text, 'apply_queued'::text, 'applying'::text]))
  index workspace_runs_origin btree (organization_id, origin, id DESC) WHERE (origin <> 'person'::text)
  index workspace_runs_phase btree (organization_id, phase, id DESC)
  index workspace_runs_plan_approval btree (approval_expires_at) WHERE (phase = 'awaiting_plan_approval'::text)
  index workspace_runs_reason btree (organization_id, reason, id DESC) WHERE (reason IS NOT NULL)
  index workspace_runs_start_message btree (organization_id, id DESC) INCLUDE (start_message) WHERE (start_message IS NOT NULL)
  index workspace_runs_token btree (organization_id, author_token_id)
  UNIQUE index workspace_runs_turn btree (workspace_id) WHERE ((phase = ANY (ARRAY['planning'::text, 'awaiting_approval'::text, 'apply_queued'::text, 'applying'::text])) AND (kind = 'apply'::text))
  index workspace_runs_workspace btree (organization_id, workspace_id, id DESC)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_variables
  id integer not null generated always as identity
  organization_id integer not null
  workspace_id integer not null
  key text not null
  kind text not null
  sensitive boolean not null default false
  value bytea not null
  value_mac bytea not null
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  phase text not null default 'both'::text
  description text not null default ''::text
  constraint workspace_variables_description_check CHECK ((length(description) <= 500))
  constraint workspace_variables_kind_check CHECK ((kind = ANY (ARRAY['terraform'::text, 'env'::text])))
  constraint workspace_variables_organization_id_id_key UNIQUE (organization_id, id)
  constraint workspace_variables_organization_id_workspace_id_fkey FOREIGN KEY (organization_id, workspace_id) REFERENCES workspaces(organization_id, id) ON DELETE CASCADE
  constraint workspace_variables_phase_check CHECK ((phase = ANY (ARRAY['plan'::text, 'apply'::text, 'both'::text])))
  constraint workspace_variables_phase_kind CHECK (((kind = 'env'::text) OR (phase = 'both'::text)))
  constraint workspace_variables_pkey PRIMARY KEY (id)
  constraint workspace_variables_workspace_id_kind_key_key UNIQUE (workspace_id, kind, key)
  index workspace_variables_workspace btree (organization_id, workspace_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

table workspace_views
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  search jsonb not null
  user_id integer not null
  created_at timestamp with time zone not null default now()
  constraint workspace_views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 40)))
  constraint workspace_views_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint workspace_views_organization_id_id_key UNIQUE (organization_id, id)
  constraint workspace_views_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES users(organization_id, id)
  constraint workspace_views_pkey PRIMARY KEY (id)
  constraint workspace_views_search_check CHECK ((jsonb_typeof(search) = 'object'::text))
  UNIQUE index workspace_views_name btree (organization_id, lower(name))
  index workspace_views_user btree (organization_id, user_id)
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, delete to cc_app
  grant insert, select, delete to cc_platform

table workspaces
  id integer not null generated always as identity
  organization_id integer not null
  name text not null
  criticality text not null default 'standard'::text
  engine text not null default 'opentofu'::text
  source_kind text not null default 'inline'::text
  source jsonb not null default '{}'::jsonb
  cloud_account_id integer
  git_connection_id integer
  path text not null default ''::text
  auto_apply boolean not null default false
  cost_limit_monthly numeric(30,12)
  unpriced text not null default 'deny'::text
  fence integer not null default 0
  needs_refresh boolean not null default false
  last_applied_at timestamp with time zone
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  resources_due boolean not null default false
  confirm text not null default 'none'::text
  labels jsonb not null default '{}'::jsonb
  description text not null default ''::text
  constraint workspaces_confirm_check CHECK ((confirm = ANY (ARRAY['none'::text, 'destroys'::text, 'always'::text])))
  constraint workspaces_criticality_check CHECK ((criticality = ANY (ARRAY['standard'::text, 'production'::text])))
  constraint workspaces_description_check CHECK ((length(description) <= 500))
  constraint workspaces_engine_check CHECK ((engine = 'opentofu'::text))
  constraint workspaces_labels_check CHECK ((jsonb_typeof(labels) = 'object'::text))
  constraint workspaces_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
  constraint workspaces_organization_id_cloud_account_id_fkey FOREIGN KEY (organization_id, cloud_account_id) REFERENCES cloud_accounts(organization_id, id) ON DELETE SET NULL (cloud_account_id)
  constraint workspaces_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
  constraint workspaces_organization_id_git_connection_id_fkey FOREIGN KEY (organization_id, git_connection_id) REFERENCES git_connections(organization_id, id) ON DELETE SET NULL (git_connection_id)
  constraint workspaces_organization_id_id_key UNIQUE (organization_id, id)
  constraint workspaces_pkey PRIMARY KEY (id)
  constraint workspaces_source_kind_check CHECK ((source_kind = ANY (ARRAY['inline'::text, 'git'::text])))
  constraint workspaces_unpriced_check CHECK ((unpriced = ANY (ARRAY['deny'::text, 'allow'::text])))
  index workspaces_cloud_account btree (organization_id, cloud_account_id)
  index workspaces_criticality btree (organization_id, criticality, name)
  index workspaces_git_connection btree (organization_id, git_connection_id)
  UNIQUE index workspaces_name btree (organization_id, lower(name))
  index workspaces_ordered btree (organization_id, name)
  index workspaces_resources_due btree (id) WHERE resources_due
  trigger keep_changed_labels AFTER UPDATE OF labels ON public.workspaces FOR EACH ROW WHEN ((new.labels IS DISTINCT FROM old.labels)) EXECUTE FUNCTION keep_workspace_labels()
  trigger keep_labels AFTER INSERT ON public.workspaces FOR EACH ROW WHEN ((new.labels <> '{}'::jsonb)) EXECUTE FUNCTION keep_workspace_labels()
  row level security
  policy platform to cc_platform using (true) with check (true)
  policy tenant to cc_app using ((organization_id = (current_setting('cc.organization_id'::text))::integer)) with check ((organization_id = (current_setting('cc.organization_id'::text))::integer))
  grant insert, select, update, delete to cc_app
  grant insert, select, update, delete to cc_platform

sequences
  cloud_resource_ids integer
    grant usage to cc_app
    grant usage to cc_platform
  run_ids integer
    grant usage to cc_app
    grant usage to cc_platform

types
  member_role (Viewer, Deployer, SRE · Cloud Admin, Org Admin, Owner)

functions
  await_seal() returns trigger md5 f3a3401330af4fc8abc16fe14169965a
  billed_cloud_id(resource_id text, provider text, service text, sub_account_id text, region text) returns text md5 072bf3adfcaa81e49ceaabf59c69003f
  billed_name(resource_id text, provider text, service text) returns text md5 8abe7ebe581fdb6c7b24f80deda72ba6
  cloud_name(cloud_id text) returns text md5 3e5ffa723332423990cce3eafeb72885
  cloud_position(key uuid) returns double precision md5 243cc5c320a043c77e9970867f192a37
  cloud_resource_arms(organization integer, filters jsonb, sample text, sampled integer) returns text[] md5 b1d2678f8b525e920b71150518082449
  cloud_resource_conditions(organization integer, filters jsonb, OUT short text, OUT long text, OUT held text) returns record md5 346d4e3081d3a68439cd214a387955c6
  cloud_resource_terms(organization integer, filters jsonb) returns TABLE(text_of integer, terms bigint[], probe text) md5 bb7d1bcab3fca09c2662bfb8ab03d826
  cloud_resources_by_terms(organization integer, filters jsonb, conditions text, arms text[], after_key uuid, likely double precision, wanted integer) returns integer[] md5 f0acee611c7a63cd7a5ea61e2da3c48d
  cloud_resources_found(filters jsonb, after_key uuid, after_account integer, wanted integer) returns SETOF integer security definer set search_path=public, pg_temp; enable_seqscan=off md5 58bc9122495226951e861b50f36ff36f
    grant execute to cc_app
  cloud_resources_held(organization integer, filters jsonb, conditions text, after_key uuid, walked integer, wanted integer, OUT keys uuid[], OUT ids integer[]) returns record md5 f50865e27146f87709baed4f59a3659a
  cloud_resources_otherwise_held(workspaces integer[]) returns TABLE(held_id integer, resource_id integer, resource_key uuid) security definer set search_path=public, pg_temp; enable_seqscan=off md5 4c242e40f4654037ac3506525438666f
    grant execute to cc_app
  cloud_term(organization integer, kind text, value text) returns bigint md5 bd6c680e5ab8c9371fd745099ab94a89
  cloud_terms(organization integer, account integer, provider text, service text, type text, region text, state text, tags jsonb, name text, cloud_id text, cloud_key uuid) returns bigint[] md5 466c7e4657685362cd86c29fdf6b6644
  ensure_charge_partition(month date) returns text security definer set search_path=public, pg_temp md5 0c654a0912227631ef21c6843ceb4216
    grant execute to cc_app
  ensure_month_partitions(parent text, months integer) returns void security definer set search_path=public, pg_temp md5 d78d9ec4bdaf145ccfade6757bde9740
    grant execute to cc_platform
  is_other_cloud_id(cloud_id text) returns boolean md5 046943cce9266cc866dd5b2303100ae1
  keep_pipeline_labels() returns trigger set search_path=public, pg_temp md5 2935f63e59acd264e79c68d141293426
  keep_workspace_labels() returns trigger set search_path=public, pg_temp md5 1da2e675442331c090cac0b4c0e5b6b6
  other_cloud_id(cloud_id text) returns text md5 a371f3cb6bd6868fb8c707dad26fc05b
  refuse_change() returns trigger md5 d62cc46c8c0bc8edfd39e9706bafc7a3
  same_people(ids integer[]) returns integer[] security definer set search_path=public, pg_temp md5 ab8b8b375f4173b5b136c7bb8050b0c8
    grant execute to cc_app
  scim_emails(profile jsonb, email text) returns text[] md5 4c3c1fe3d0ab8f096f3f62525274cd72
  scim_groups_by_name(wanted text) returns SETOF integer security definer set search_path=public, pg_temp md5 55a08e3598d3fdb0283802616ec9d581
    grant execute to cc_app
  scim_users_by_email(wanted text) returns SETOF integer security definer set search_path=public, pg_temp md5 168de8855b7173bdb51ac056551c109c
    grant execute to cc_app
  scim_users_by_user_name(wanted text) returns SETOF integer security definer set search_path=public, pg_temp md5 a1233f9f498a7981cc8cacfca3aef39b
    grant execute to cc_app
  sort_in_cloud_terms() returns void security definer set search_path=public, pg_temp md5 b3cbf090a11e7e70f8bcf0994264d9d4
    grant execute to cc_app
  users_by_email(wanted text) returns SETOF integer security definer set search_path=public, pg_temp md5 b0421ffba8f5a5ca263bb5a6a5695053
    grant execute to cc_app
