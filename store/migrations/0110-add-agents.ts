import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Agents of a workspace, and the deployments that they carry out. Whoever deploys writes which action a
 * host is to do; the agent's side claims it under a lease with a fencing number, and writes what came of it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(agentsSql)
  await knex.raw(deploymentsSql)
  await knex.raw(hostsSql)
  await knex.raw(approvalsSql)
  for (const table of ['agents', 'deployments', 'deployment_hosts']) await protectTable(knex, table)
}

const agentsSql = `
  create table agents (
    id integer generated always as identity primary key,
    organization_id integer not null references organizations,
    workspace_id integer not null,
    -- A join is no host: its token only enrolls hosts.
    kind text not null default 'host' check (kind in ('host', 'join')),
    name varchar(100) not null,
    labels jsonb not null default '{}',
    paused boolean not null default false,
    -- Of a join: how many hosts it may enroll. Of a host: the join that enrolled it.
    join_max_agents integer check (join_max_agents between 1 and 1000),
    join_id integer,
    -- As the agent said last.
    version varchar(50),
    os varchar(50),
    arch varchar(50),
    protocol integer,
    -- Its protocol is too old: it was refused.
    outdated boolean not null default false,
    last_seen_at timestamptz,
    -- What its link "current" points to. The run may be gone: a host keeps what it runs.
    release_digest text check (release_digest ~ '^sha256:[0-9a-f]{64}$'),
    release_run_id integer,
    created_at timestamptz not null default now(),
    deleted_at timestamptz,
    unique (organization_id, id),
    check ((kind = 'join') = (join_max_agents is not null)),
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (organization_id, join_id) references agents (organization_id, id) on delete set null (join_id)
  ) with (fillfactor = 70);
  create index agents_workspace on agents (organization_id, workspace_id, id);
  create index agents_join on agents (organization_id, join_id);
  create index agents_release on agents (organization_id, release_digest) where deleted_at is null;
  create unique index agents_name on agents (workspace_id, kind, lower(name)) where deleted_at is null;

  alter table tokens
    add column agent_id integer,
    add constraint tokens_agent_check check (kind <> 'agt' or agent_id is not null),
    add constraint tokens_organization_id_agent_id_fkey foreign key (organization_id, agent_id)
      references agents (organization_id, id) on delete cascade;
  create index tokens_agent on tokens (organization_id, agent_id);

  -- The name of the host that a line of a deployment is from.
  alter table log_lines add column host varchar(100);`

const deploymentsSql = `
  create table deployments (
    -- One a run, and the id by which agents name it.
    pipeline_run_id integer primary key,
    organization_id integer not null,
    pipeline_id integer not null,
    workspace_id integer not null,
    via text not null default 'agents' check (via in ('agents', 'workspace')),
    -- With all that its definition leaves out.
    strategy jsonb not null,
    -- The run whose artifact this is: an earlier one's for a promotion or a rollback.
    artifact_run_id integer not null,
    -- Of the release: { install?, activate?, health?, rollback? }, each { path, timeoutSeconds, repeatable }.
    hooks jsonb not null default '{}',
    -- { url, status, everySeconds }, asked by the worker.
    probe jsonb,
    keep integer not null default 3 check (keep between 2 and 20),
    -- Outputs of the target by the name of their variable, CC_OUT_<NAME>.
    outputs jsonb not null default '{}',
    -- Variables of the deployment as they were when it began, as JSON, sealed.
    variables bytea,
    -- The deployment whose release hosts go back to.
    earlier_run_id integer,
    batch integer not null default 0,
    batches integer not null default 0,
    confirmed integer[] not null default '{}',
    -- The step after which it waits for a person.
    confirm_step integer,
    stop text check (stop in ('canceled', 'replaced')),
    rolled_back_to integer,
    warnings text[] not null default '{}',
    -- via workspace: the run that deploys.
    workspace_run_id integer,
    agents_until timestamptz not null,
    outcome text check (outcome in ('succeeded', 'failed')),
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    unique (organization_id, pipeline_run_id),
    check ((outcome is null) = (ended_at is null)),
    foreign key (organization_id, pipeline_run_id)
      references application_runs (organization_id, pipeline_run_id) on delete cascade,
    foreign key (organization_id, pipeline_id) references pipelines (organization_id, id) on delete cascade,
    foreign key (organization_id, workspace_id) references workspaces (organization_id, id) on delete cascade,
    foreign key (organization_id, artifact_run_id)
      references artifacts (organization_id, pipeline_run_id) on delete cascade,
    foreign key (organization_id, earlier_run_id)
      references deployments (organization_id, pipeline_run_id) on delete set null (earlier_run_id),
    foreign key (organization_id, rolled_back_to)
      references deployments (organization_id, pipeline_run_id) on delete set null (rolled_back_to),
    foreign key (organization_id, workspace_run_id)
      references workspace_runs (organization_id, id) on delete set null (workspace_run_id)
  );
  create unique index deployments_live on deployments (pipeline_id) where ended_at is null;
  create index deployments_pipeline on deployments (organization_id, pipeline_id, pipeline_run_id desc);
  create index deployments_workspace on deployments (organization_id, workspace_id);
  create index deployments_artifact on deployments (organization_id, artifact_run_id);
  create index deployments_earlier on deployments (organization_id, earlier_run_id);
  create index deployments_rolled_back on deployments (organization_id, rolled_back_to);
  create index deployments_workspace_run on deployments (organization_id, workspace_run_id);`

const hostsSql = `
  create table deployment_hosts (
    pipeline_run_id integer not null,
    agent_id integer not null,
    organization_id integer not null,
    -- The order in which hosts are updated.
    position integer not null,
    state text not null default 'pending' check (state in
      ('pending', 'updating', 'rolling_back', 'staged', 'healthy', 'failed', 'rolled_back', 'stuck', 'unreachable')),
    batch integer check (batch > 0),
    runs_new boolean not null default false,
    was_online_lately boolean not null default false,
    -- What it is to do now; null once the result is there.
    wanted text check (wanted in ('deploy', 'install', 'activate', 'rollback', 'verify')),
    wanted_at timestamptz,
    stop_requested_at timestamptz,
    -- Of the action wanted: its first claim, and how often a lease on it was lost.
    claimed_at timestamptz,
    leases_lost integer not null default 0,
    -- Counts the claims of this host in this deployment. What an earlier claim sends is refused.
    fence integer not null default 0,
    lease_until timestamptz,
    -- The newest batch of lines under this fence.
    log_batch integer not null default 0,
    -- The result that was taken last, so that its repeat is known.
    result_fence integer,
    result_hash bytea,
    hooks jsonb not null default '[]',
    message varchar(500),
    before_digest text,
    before_run_id integer,
    after_digest text,
    after_run_id integer,
    started_at timestamptz,
    ended_at timestamptz,
    primary key (pipeline_run_id, agent_id),
    foreign key (organization_id, pipeline_run_id)
      references deployments (organization_id, pipeline_run_id) on delete cascade,
    foreign key (organization_id, agent_id) references agents (organization_id, id) on delete cascade
  );
  create index deployment_hosts_deployment on deployment_hosts (organization_id, pipeline_run_id, position);
  create index deployment_hosts_agent on deployment_hosts (organization_id, agent_id, pipeline_run_id desc);
  create index deployment_hosts_wanted on deployment_hosts (agent_id, pipeline_run_id) where wanted is not null;
  create index deployment_hosts_lease on deployment_hosts (lease_until) where lease_until is not null;`

/** A run of an application is approved by its release's digest; a confirmation between steps names its step. */
const approvalsSql = `
  alter table approvals
    alter column workspace_run_id drop not null,
    add column pipeline_run_id integer,
    -- 0: before the deployment.
    add column step integer not null default 0 check (step >= 0),
    add constraint approvals_run_check check (num_nonnulls(workspace_run_id, pipeline_run_id) = 1),
    add constraint approvals_organization_id_pipeline_run_id_fkey foreign key (organization_id, pipeline_run_id)
      references application_runs (organization_id, pipeline_run_id) on delete cascade;
  create index approvals_application_run on approvals (organization_id, pipeline_run_id);
  create unique index approvals_application_standing on approvals (pipeline_run_id, step)
    where voided_at is null and pipeline_run_id is not null;`
