import type { Connection } from '@temporalio/client'
import { msToTs } from '@temporalio/common/lib/time.js'
import { setTimeout as sleep } from 'node:timers/promises'

const deadlineMs = 60_000

// temporal.api.enums.v1.IndexedValueType
const keyword = 2
const int = 3
const searchAttributes: Record<string, number> = {
  OrgId: keyword,
  RunKind: keyword,
  PipelineId: int,
  WorkspaceId: int,
}

/** Idempotent: creates the namespace and its search attributes, and returns when both are usable. */
export async function ensureNamespace(connection: Connection, name: string): Promise<void> {
  const deadline = Date.now() + deadlineMs
  await untilDone(deadline, () => register(connection, name))
  const added = await untilDone(deadline, () => addMissing(connection, name))
  // The frontend refuses a query for an attribute that its cache does not have yet.
  await untilDone(deadline, () =>
    connection.workflowService.countWorkflowExecutions({
      namespace: name,
      query: Object.entries(searchAttributes)
        .map(([attribute, type]) => `${attribute} = ${type === int ? 0 : "'0'"}`)
        .join(' AND '),
    }),
  )
  // The other services have their own caches, which are refreshed every second (temporal-config.ts).
  if (added) await sleep(1_200)
}

async function register(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      description: 'cloud-control',
      workflowExecutionRetentionPeriod: msToTs('7 days'),
    })
  } catch (error) {
    if (codeOf(error) !== alreadyExists) throw error
  }
}

async function addMissing(connection: Connection, namespace: string): Promise<boolean> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  const missing = Object.entries(searchAttributes).filter(([name]) => !customAttributes?.[name])
  if (missing.length === 0) return false
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing),
    })
  } catch (error) {
    if (codeOf(error) !== alreadyExists) throw error
  }
  return true
}

const alreadyExists = 6

async function untilDone<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      // The server is still starting, or a cache does not have the new namespace yet.
      if (Date.now() > deadline) throw error
      await sleep(100)
    }
  }
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  // The client's errors have the gRPC status as `code`.
  return (error as { code?: number }).code
}
