import type { Knex } from 'knex'
import { protectTable } from '../protect-table.ts'

/**
 * Resources that only bills know stand beside those of inventories, and an anomaly names the runs that may
 * have caused it (docs/ownership.md, docs/cost.md).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(idsOfBills)
  await knex.raw(resources)
  await knex.raw(causes)
  await protectTable(knex, 'anomaly_runs')
}

const idsOfBills = `
  -- The id that an inventory would have for what a bill names, as far as the bill says enough. A short id of
  -- EC2 becomes an ARN, so that a later sync finds the same row.
  create function billed_cloud_id(resource_id text, provider text, service text, sub_account_id text, region text)
    returns text
    language sql immutable parallel safe
    as $$ select case
      when provider = 'azure' then lower(resource_id)
      when provider <> 'aws' or starts_with(resource_id, 'arn:') then resource_id
      when starts_with(billed_name(resource_id, provider, service), 's3/') then
        'arn:' || case when starts_with(region, 'cn-') then 'aws-cn' when starts_with(region, 'us-gov-') then 'aws-us-gov'
          else 'aws' end || ':s3:::' || resource_id
      else coalesce('arn:' || case when starts_with(region, 'cn-') then 'aws-cn' when starts_with(region, 'us-gov-')
          then 'aws-us-gov' else 'aws' end || ':ec2:' || nullif(nullif(region, ''), 'global') || ':'
          || case when sub_account_id ~ '^[0-9]{1,12}$' then lpad(sub_account_id, 12, '0') end || ':'
          || case substring(resource_id from '^([a-z]+(-[a-z]+)*)-[0-9a-z]{8,17}$')
            when 'eipalloc' then 'elastic-ip' when 'eni' then 'network-interface' when 'fl' then 'vpc-flow-log'
            when 'h' then 'dedicated-host' when 'i' then 'instance' when 'nat' then 'natgateway'
            when 'snap' then 'snapshot' when 'subnet' then 'subnet' when 'tgw' then 'transit-gateway'
            when 'tgw-attach' then 'transit-gateway-attachment' when 'vgw' then 'vpn-gateway'
            when 'vol' then 'volume' when 'vpc' then 'vpc' when 'vpce' then 'vpc-endpoint'
            when 'vpn' then 'vpn-connection' end || '/' || resource_id,
        resource_id) end $$`

const resources = `
  -- Without a place: only bills know it. Of an upload no account is known, which is 0.
  alter table cloud_resources alter column place_id drop not null;
  create index cloud_resources_billed on cloud_resources (organization_id, cloud_key) where place_id is null;

  -- In parts by the key of the name.
  drop index cost_resources_slice;
  create index cost_resources_slice on cost_resources (organization_id, slice_id, name_key);

  -- Whether its resources stand among cloud_resources.
  alter table billing_slices add column resources_noted boolean not null default false;
  create index billing_slices_unnoted on billing_slices (organization_id, id) where is_current and not resources_noted;
  -- The version up to which resources that no bill has any more are gone.
  alter table cost_versions add column tidied_version bigint not null default 0;
  create index cost_versions_untidied on cost_versions (organization_id) where tidied_version < version`

const causes = `
  -- The run that created the resource or changed its size.
  alter table workspace_resources add column run_id integer,
    add foreign key (organization_id, run_id) references workspace_runs (organization_id, id)
      on delete set null (run_id);
  create index workspace_resources_run on workspace_resources (organization_id, run_id);
  create index workspace_runs_applied on workspace_runs (organization_id, ended_at) where kind = 'apply';

  create table anomaly_runs (
    organization_id integer not null,
    anomaly_id integer not null,
    run_id integer not null,
    place integer not null,
    -- It changed a resource that rose, or one of its workspace's is billed in the same account and service.
    because text not null check (because in ('resource', 'account')),
    -- By how much its resources cost more than before it, in the currency of the bill.
    rise numeric(30,12) not null,
    primary key (organization_id, anomaly_id, run_id),
    foreign key (organization_id, anomaly_id) references anomalies (organization_id, id) on delete cascade,
    foreign key (organization_id, run_id) references workspace_runs (organization_id, id) on delete cascade
  );
  create index anomaly_runs_run on anomaly_runs (organization_id, run_id)`
