import { maxDeployLogBytes, maxHostLogBytes } from '../../domain/agents/agent-limits.ts'
import type { LogLevel } from '../../domain/runs/log-line.ts'
import type { Store } from '../driver/connect.ts'

export type HostLines = {
  deploymentId: number
  agentId: number
  host: string
  fence: number
  batch: number
  lines: ReadonlyArray<{ level: LogLevel; line: string }>
}

export type Appended = 'stored' | 'full' | 'repeated' | 'lease_lost' | 'unknown'

/** What a row costs beside its text: empty lines would otherwise pass every limit. */
const lineBytes = 64

/** The column is an integer, and far below its end all is said. */
const countedBytes = 1024 ** 3

/**
 * Appends a batch of a host's lines to the log of its run's stage `deploy`, under the stage's row lock, so
 * that `seq` has no holes. The batch's number is noted in the same statement: its repeat stores nothing. A
 * host that printed too much has its further lines dropped, and one line says so.
 */
export async function appendHostLines(
  store: Pick<Store, 'write'>,
  organizationId: number,
  { deploymentId, agentId, host, fence, batch, lines }: HostLines,
): Promise<Appended> {
  const bytes = lines.reduce((sum, { line }) => sum + lineBytes + Buffer.byteLength(line), 0)
  const levels = lines.map(({ level }) => level)
  const texts = lines.map(({ line }) => line)
  for (;;) {
    const [row] = await store.write<{ outcome: Appended | 'changed' }>(organizationId, {
      name: 'append-host-lines',
      text,
      values: [organizationId, deploymentId, agentId, fence, batch, bytes, levels, texts, host],
    })
    // Another request changed the row between its two reads; the next attempt sees what it wrote.
    if (row?.outcome !== 'changed') return row?.outcome ?? 'unknown'
  }
}

const text = `
  with seen as (
    select pipeline_run_id, fence, log_batch, log_bytes, wanted is not null and lease_until > now() as live
    from deployment_hosts
    where organization_id = $1::integer and pipeline_run_id = $2::integer and agent_id = $3::integer),
  noted as (
    update deployment_hosts h set log_batch = $5::integer,
      log_bytes = least(h.log_bytes::bigint + $6::integer, ${countedBytes})
    from seen
    where h.organization_id = $1::integer and h.pipeline_run_id = $2::integer and h.agent_id = $3::integer
      and h.fence = $4::integer and h.wanted is not null and h.lease_until > now()
      and h.log_batch < $5::integer
    returning h.pipeline_run_id, h.log_bytes - $6::integer as before),
  lines as (
    select l.level, l.line, l.position
    from noted, unnest($7::text[], $8::text[]) with ordinality as l(level, line, position)
    where noted.before < ${maxHostLogBytes}
    union all
    select 'warn', 'Further lines of this host are not kept: it printed more than ${maxHostLogBytes / 1024 ** 2} MiB.',
      cardinality($7::text[]) + 1
    from noted where noted.before < ${maxHostLogBytes} and noted.before + $6::integer >= ${maxHostLogBytes}),
  stage as (
    update stages s set last_seq = s.last_seq + n.count, log_bytes = s.log_bytes + $6::integer
    from noted, (select count(*)::integer as count from lines) as n
    where s.organization_id = $1::integer and s.pipeline_run_id = noted.pipeline_run_id
      and s.name = 'deploy' and n.count > 0 and s.log_bytes < ${maxDeployLogBytes}
    returning s.id, s.created_month, s.last_seq, n.count),
  stored as (
    insert into log_lines (organization_id, stage_id, month, seq, level, line, host)
    select $1::integer, stage.id, stage.created_month, stage.last_seq - stage.count + lines.position,
      lines.level, lines.line, $9
    from stage, lines)
  select case
      when stage.id is not null then 'stored'
      when noted.pipeline_run_id is not null then 'full'
      when not seen.live or seen.fence <> $4::integer then 'lease_lost'
      when seen.log_batch < $5::integer then 'changed'
      else 'repeated' end as outcome,
    case when stage.id is not null then pg_notify('cc_log', stage.id::text) end as told
  from seen left join noted on true left join stage on true`
