import type { Connection } from '@temporalio/client'
import { unavailable } from '../../domain/errors.ts'
import type { MemoryLimit } from '../sandbox/workbench.ts'

/** How many workers poll for each kind of work, and how many of the latter lack a cgroup. */
export type Pollers = { control: number; tofu: number; withoutCgroup: number }

/**
 * A worker's identity in Temporal. It includes what enforces the memory limit of its runs, because the API, which
 * reports it, may be on another host.
 */
export const workerIdentity = (name: string, memoryLimit: MemoryLimit): string =>
  memoryLimit === 'watch' ? `${name}${withoutCgroup}` : name

const withoutCgroup = ' (no cgroup)'

export type EngineHealth = {
  /** Throws 503 `engine_unavailable`, so that no run is created that Temporal would learn of late. */
  assertReachable(): Promise<void>
  /** Throws if Temporal cannot be reached. */
  pollers(): Promise<Pollers>
}

const timeoutMs = 1_500
const trustedForMs = 1_000

/** Asks Temporal at most once a second, however many runs are started. */
export function createEngineHealth(
  connection: Connection,
  namespace: string,
  queues: { control: string; tofu: string },
): EngineHealth {
  let asked: Promise<void> | undefined
  let goodUntil = 0

  const ask = async () => {
    try {
      await connection.withDeadline(Date.now() + timeoutMs, async () =>
        connection.workflowService.getSystemInfo({}),
      )
      goodUntil = Date.now() + trustedForMs
    } catch (error) {
      throw unavailable(
        'engine_unavailable',
        'The workflow engine cannot be reached, so nothing was started. Try again in a moment.',
        error,
      )
    } finally {
      asked = undefined
    }
  }

  let counted: Promise<Pollers> | undefined
  let countedAt = 0
  const count = async (): Promise<Pollers> => {
    const [control, tofu] = await Promise.all(
      [queues.control, queues.tofu].map(async (queue) => pollersOf(connection, namespace, queue)),
    )
    return {
      control: control?.size ?? 0,
      tofu: tofu?.size ?? 0,
      withoutCgroup: [...(tofu ?? [])].filter((name) => name.endsWith(withoutCgroup)).length,
    }
  }

  return {
    async pollers() {
      // Anybody may send a probe, so Temporal is asked at most once a second.
      if (!counted || Date.now() - countedAt > trustedForMs) {
        countedAt = Date.now()
        counted = count()
      }
      return counted
    },

    async assertReachable() {
      if (Date.now() < goodUntil) return
      asked ??= ask()
      await asked
    },
  }
}

/** `TASK_QUEUE_TYPE_ACTIVITY`: both kinds of workers run activities. */
const activities = 2
/** A poll lasts a minute and is recorded when it begins, so a worker without a record since then is gone. */
const pollLivesMs = 70_000

/** Temporal lists a worker for minutes after its last poll. */
async function pollersOf(
  connection: Connection,
  namespace: string,
  name: string,
): Promise<Set<string>> {
  const { pollers } = await connection.withDeadline(Date.now() + timeoutMs, async () =>
    connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType: activities,
    }),
  )
  const since = Date.now() - pollLivesMs
  const called = (pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > since,
  )
  return new Set(called.map(({ identity }) => identity ?? ''))
}
