import { Context } from '@temporalio/activity'
import type { Deps } from '../deps.ts'
import { beatAttempt } from '../../store/infrastructure/apply-attempts.ts'
import { watchedRun } from '../../store/runs/run-of-step.ts'

export type StopCause = 'canceled' | 'fenced' | 'lost'

export type RunWatch = {
  signal: AbortSignal
  /** Why the signal was aborted. */
  cause(): StopCause | undefined
  /** From now on this attempt holds the workspace: it sends beats, and ends when it is fenced off. */
  holdFence(fence: number): void
  setProcessGroup: (processGroup: number) => void
  close(): void
}

const pollMs = 1_000
const heartbeatMs = 3_000
const attemptBeatMs = 5_000

/**
 * Watches a run from its start: sends heartbeats to Temporal, and aborts the signal once the run was
 * canceled, another attempt took over, or Temporal gave this one up. The store is polled for a cancel,
 * because Temporal delivers one only with the answer to a heartbeat.
 */
export function watchRun(
  deps: Deps,
  { organizationId, workspaceRunId }: { organizationId: number; workspaceRunId: number },
  /** A plan may be stopped, since another worker repeats it; an apply is allowed to finish (docs/decisions/0032). */
  { mayStop }: { mayStop: boolean },
): RunWatch {
  const context = Context.current()
  const controller = new AbortController()
  let fence: number | undefined
  let why: StopCause | undefined
  let processGroup: number | null = null
  let asking = false
  const stop = (cause: StopCause) => {
    why ??= cause
    controller.abort()
  }

  const look = async () => {
    if (asking) return
    asking = true
    const held = fence
    try {
      const now = await watchedRun(deps.store, organizationId, workspaceRunId)
      if (now?.isCanceled) stop('canceled')
      if (now && held !== undefined && now.fence !== held) stop('fenced')
    } catch {
      // A database that is down is no reason to kill an apply; the next poll asks again.
    } finally {
      asking = false
    }
  }
  const beat = async () => {
    if (fence === undefined) return
    await beatAttempt(deps.store, organizationId, { workspaceRunId, fence, processGroup }).catch(
      () => undefined,
    )
  }

  const unlisten = deps.changes.on('cc_run', (id) => {
    if (id === '' || Number(id) === workspaceRunId) void look()
  })
  const timers = [
    setInterval(() => context.heartbeat({ processGroup }), heartbeatMs),
    setInterval(() => void look(), pollMs),
    setInterval(() => void beat(), attemptBeatMs),
  ]
  const lost = () => stop('lost')
  context.cancellationSignal.addEventListener('abort', lost)
  if (mayStop) deps.stopping.addEventListener('abort', lost)
  if (mayStop && deps.stopping.aborted) lost()
  context.heartbeat({ processGroup })

  return {
    signal: controller.signal,
    cause: () => why,
    holdFence(number) {
      fence = number
    },
    setProcessGroup(group) {
      processGroup = group
    },
    close() {
      for (const timer of timers) clearInterval(timer)
      unlisten()
      context.cancellationSignal.removeEventListener('abort', lost)
      deps.stopping.removeEventListener('abort', lost)
    },
  }
}
