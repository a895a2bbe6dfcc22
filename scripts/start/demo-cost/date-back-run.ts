import type { Deps } from '../../../api/deps.ts'
import type { Caller } from '../../../domain/access/caller.ts'
import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { auditLog, systemActor } from '../../../store/audit/audit-log.ts'

/** The first day of the cost that the run causes is this many days before the demo's first day. */
const causeDaysAgo = 5

export const causeDay = (anchor: string): string => dayAfter(anchor, -causeDaysAgo)

/** What the approval of the run says, and so its page. */
export const dateBackComment = (anchor: string): string =>
  `Approved by the demo, which dates this run back to ${causeDay(anchor)}: it starts the workers that the bill shows as a rise from that day on.`

/**
 * Sets the times of a run that the demo approved with `dateBackComment` back to the day on which what it made
 * begins to cost, so that the run can be found as the cause. A run of anybody else stays as it is, also in a
 * workspace of the same name. Only the demo does this: no route or task calls it, the
 * audit log says so, and the approval's comment does. Its log and its state keep their times. Idempotent.
 */
export async function dateBackRun(
  { store }: Pick<Deps, 'store'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
  { workspaceId, anchor }: { workspaceId: number; anchor: string },
): Promise<void> {
  const { rows } = await store.platform.raw(markedRun, {
    organizationId,
    workspaceId,
    comment: dateBackComment(anchor),
  })
  const [run] = rows as Array<{ id: number; endedOn: string }>
  if (!run) return
  const { endedOn } = run
  const days = (Date.parse(endedOn) - Date.parse(causeDay(anchor))) / 86_400_000
  if (days <= 0) return
  // First: of a start that ends in between, the entry is there twice, and never missing.
  await store.tenant(organizationId, async (tenant) =>
    auditLog(tenant, { ...systemActor, label: 'the demo' }).record('demo.run_dated_back', {
      target: { kind: 'run', id: run.id, label: 'demo-shop' },
      detail: { workspaceId, days, from: endedOn, to: causeDay(anchor) },
    }),
  )
  const at = { organizationId, runId: run.id, days }
  await store.platform.transaction(async (db) => {
    for (const statement of statements) await db.raw(statement, at)
  })
}

const markedRun = `
  select r.id, to_char(r.ended_at at time zone 'UTC', 'YYYY-MM-DD') as "endedOn"
  from workspace_runs r join approvals a on a.organization_id = r.organization_id and a.workspace_run_id = r.id
  where r.organization_id = :organizationId and r.workspace_id = :workspaceId and r.kind = 'apply'
    and r.phase = 'succeeded' and a.decision = 'approved' and a.voided_at is null and a.comment = :comment
  order by r.id limit 1`

const back = (column: string) => `${column} = ${column} - make_interval(days => :days::integer)`
const statements = [
  `update workspace_runs set ${['created_at', 'started_at', 'ended_at'].map(back).join(', ')}
   where organization_id = :organizationId and id = :runId`,
  ...(
    [
      ['pipeline_runs', ['created_at']],
      ['stages', ['started_at', 'ended_at']],
      ['approvals', ['at']],
    ] as const
  ).map(
    ([table, columns]) => `update ${table} set ${columns.map(back).join(', ')}
      where organization_id = :organizationId and workspace_run_id = :runId`,
  ),
]
