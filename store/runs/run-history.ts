import { stoppedReasons } from '../../domain/runs/run-outcome.ts'
import type { Store } from '../driver/connect.ts'

/** What ended on one UTC day. */
export type HistoryDay = {
  day: string
  succeeded: number
  failed: number
  canceled: number
  /** Denied, rejected, expired or out of date: no failures. */
  stopped: number
  /** The median from the start to the end of a run that applied; null on a day without one. */
  leadSeconds: number | null
  /** The median until a run was taken up. */
  waitSeconds: number | null
  /** Resources that applies added, changed or destroyed. */
  changes: number
}

const isStopped = `coalesce(reason = any(array[${stoppedReasons.map((reason) => `'${reason}'`).join(', ')}]), false)`

type Asked = { from: Date; workspaceId?: number | undefined }

/**
 * The runs that ended since, by day, without the days on which none did. The window is bounded by
 * its caller, and read from an index alone (migration 0125).
 */
export async function runHistory(
  store: Store,
  organizationId: number,
  { from, workspaceId }: Asked,
): Promise<HistoryDay[]> {
  const rows = await store.read<{ days: HistoryDay[] | null }>(organizationId, {
    name: workspaceId === undefined ? 'run-history' : 'run-history-of-workspace',
    text: `select json_agg(d order by d.day) as days from (
      select (ended_at at time zone 'UTC')::date as day,
        count(*) filter (where phase = 'succeeded') as succeeded,
        count(*) filter (where phase = 'failed' and not ${isStopped}) as failed,
        count(*) filter (where phase = 'canceled' and not ${isStopped}) as canceled,
        count(*) filter (where phase <> 'succeeded' and ${isStopped}) as stopped,
        round(extract(epoch from percentile_disc(0.5) within group (order by ended_at - created_at)
          filter (where phase = 'succeeded' and kind = 'apply'))::numeric, 1) as "leadSeconds",
        round(extract(epoch from percentile_disc(0.5) within group (order by started_at - created_at)
          filter (where started_at is not null))::numeric, 1) as "waitSeconds",
        coalesce(sum(changes) filter (where phase = 'succeeded' and kind = 'apply'), 0) as changes
      from workspace_runs
      where organization_id = $1 and ended_at >= $2::timestamptz
        ${workspaceId === undefined ? '' : 'and workspace_id = $3'}
      group by 1) d`,
    values: [
      organizationId,
      from.toISOString(),
      ...(workspaceId === undefined ? [] : [workspaceId]),
    ],
  })
  return rows[0]?.days ?? []
}
