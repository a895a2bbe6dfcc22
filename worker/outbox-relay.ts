import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client'
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common'
import type { Logger } from 'pino'
import type { Store } from '../store/driver/connect.ts'
import type { ChangeFeed } from '../store/platform/change-feed.ts'
import { outboxQueue, type OutboxRow } from '../store/platform/outbox-queue.ts'
import { drainQueue, type Relay } from './drain-queue.ts'

/** The rows that a worker delivers at once. */
const atOnce = 50
const deadlineMs = 5_000

/** Delivers the outbox to Temporal, at least once and in order per workflow (docs/temporal.md). */
export function startOutboxRelay(options: {
  client: Client
  store: Store
  changes: ChangeFeed
  log: Logger
}): Relay {
  const { client, store, log } = options
  const queue = outboxQueue(store.platform)
  const underWay = new Set<OutboxRow>()
  const claim = async (free: number) => {
    const organizations = [...underWay].map(({ organizationId }) => organizationId ?? 0)
    const rows = await queue.claim(free, organizations)
    for (const row of rows) underWay.add(row)
    return rows
  }
  const deliver = async (row: OutboxRow) => {
    try {
      await client.withDeadline(Date.now() + deadlineMs, async () => tell(client, row))
      await queue.done(row)
    } catch (error) {
      log.warn(
        { err: error, outboxId: row.id, attempts: row.attempts },
        'an outbox row was not delivered to Temporal',
      )
      await queue.failed(row, {
        error: error instanceof Error ? error.message : String(error),
        isRefused: isRefused(error),
      })
    } finally {
      underWay.delete(row)
    }
  }

  return drainQueue({ channel: 'cc_outbox', pollMs: 250, atOnce, claim, deliver }, options)
}

/** gRPC's status code INVALID_ARGUMENT. */
const grpcInvalidArgument = 3

/** Whatever else fails ends with an outage, or once an operator has mended a setting: nothing of that is in the row. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ServiceError) || !isGrpcServiceError(error.cause)) return false
  const { code, details }: { code: number; details: string } = error.cause
  // A namespace that was made anew has not been told yet which search attributes the service uses.
  return code === grpcInvalidArgument && !/search attribute/i.test(details)
}

async function tell(client: Client, row: OutboxRow): Promise<void> {
  if (row.kind === 'start') return start(client, row)
  const handle = client.workflow.getHandle(row.workflowId)
  try {
    await handle.signal(row.signalName ?? '')
  } catch (error) {
    // The workflow is closed or was never started. The signal only wakes: the decision is in the store.
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

async function start(client: Client, row: OutboxRow): Promise<void> {
  try {
    await client.workflow.start(row.workflowType ?? '', {
      workflowId: row.workflowId,
      taskQueue: row.taskQueue ?? '',
      args: row.args,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      ...(row.options.summary !== undefined && { staticSummary: row.options.summary }),
      typedSearchAttributes: searchAttributes(row.options.searchAttributes ?? {}),
      // Temporal dispatches waiting tasks fairly between organizations.
      priority: { fairnessKey: `org-${row.organizationId ?? 0}` },
    })
  } catch (error) {
    // Already started by an earlier delivery whose answer was lost.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

function searchAttributes(values: Record<string, string | number>): TypedSearchAttributes {
  return new TypedSearchAttributes(
    Object.entries(values).map(([name, value]) =>
      typeof value === 'number'
        ? { key: defineSearchAttributeKey(name, SearchAttributeType.INT), value }
        : { key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD), value },
    ),
  )
}
