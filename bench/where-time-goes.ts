import { Client } from '@temporalio/client'
import { median } from './figures.ts'
import type { Platform } from './start-platform.ts'
import type { TimedRun } from './time-run.ts'

/**
 * The medians of the time between consecutive events of a run's history, in the order of the first
 * run's events. A run ends for its user before its workflow closes, so later events are left out.
 */
export async function whereTimeGoes(
  { engine }: Platform,
  runs: readonly TimedRun[],
): Promise<Array<{ step: string; medianMs: number }>> {
  const client = new Client(engine)
  const gaps = new Map<string, number[]>()
  for (const run of runs) {
    let before = run.sentAt
    for (const { name, at } of await eventsOf(client, run.workflowId)) {
      gaps.set(name, [...(gaps.get(name) ?? []), at - before])
      before = at
    }
  }
  return [...gaps].map(([step, values]) => ({ step, medianMs: median(values) }))
}

async function eventsOf(client: Client, workflowId: string) {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
  const activities = new Map<string, string>()
  const seen = new Map<string, number>()
  return (events ?? []).flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes
    const id = String(event.eventId)
    if (scheduled) activities.set(id, scheduled.activityType?.name ?? '')
    const about =
      event.activityTaskStartedEventAttributes ?? event.activityTaskCompletedEventAttributes
    const activity = activities.get(scheduled ? id : String(about?.scheduledEventId))
    const kind = kindOf(event)
    if (!kind) return []
    const base = activity ? `${activity} ${kind}` : kind
    const nth = (seen.get(base) ?? 0) + 1
    seen.set(base, nth)
    const at = Number(event.eventTime?.seconds) * 1_000 + (event.eventTime?.nanos ?? 0) / 1e6
    return [{ name: nth > 1 ? `${base} (${nth})` : base, at }]
  })
}

type Event = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>[number]

function kindOf(event: Event): string | undefined {
  if (event.workflowExecutionStartedEventAttributes) return 'POST until the workflow is started'
  if (event.workflowTaskStartedEventAttributes) return 'workflow task dispatched'
  if (event.workflowTaskCompletedEventAttributes) return 'workflow task done'
  if (event.activityTaskStartedEventAttributes) return 'dispatched'
  if (event.activityTaskCompletedEventAttributes) return 'done'
  return undefined
}
