import { Context } from '@temporalio/activity'
import { watchedApplication } from '../../store/runs/application-step.ts'
import type { CountedStep } from '../../store/runs/application-attempts.ts'
import type { Deps } from '../deps.ts'

export type ApplicationWatch = {
  signal: AbortSignal
  /** `over`: the run is in another phase, or has a later attempt. `lost`: this attempt is given up. */
  cause(): 'over' | 'lost' | undefined
  close(): void
}

const pollMs = 1_000
const heartbeatMs = 3_000

/**
 * Watches one attempt: sends heartbeats to Temporal, and aborts the signal once the run was canceled or
 * ended, another attempt took over, or this worker is told to stop. The store is polled, because Temporal
 * delivers a cancel only with the answer to a heartbeat.
 */
export function watchApplication(
  deps: Pick<Deps, 'store' | 'changes' | 'stopping'>,
  { organizationId, runId }: { organizationId: number; runId: number },
  { step, begun }: { step: CountedStep; begun: number },
): ApplicationWatch {
  const context = Context.current()
  const controller = new AbortController()
  let why: 'over' | 'lost' | undefined
  let isAsking = false
  const stop = (cause: 'over' | 'lost') => {
    why ??= cause
    controller.abort()
  }
  const look = async () => {
    if (isAsking) return
    isAsking = true
    try {
      const now = await watchedApplication(deps.store, organizationId, runId)
      const mine = step === 'source' ? now?.sourcesBegun : now?.buildsBegun
      if (now?.phase !== phaseOf[step] || mine !== begun) stop('over')
    } catch {
      // A database that is down ends no build; the next poll asks again.
    } finally {
      isAsking = false
    }
  }
  const unlisten = deps.changes.on('cc_run', (id) => {
    if (id === '' || Number(id) === runId) void look()
  })
  const timers = [
    setInterval(() => context.heartbeat(), heartbeatMs),
    setInterval(() => void look(), pollMs),
  ]
  const lost = () => stop('lost')
  for (const signal of [context.cancellationSignal, deps.stopping]) {
    signal.addEventListener('abort', lost)
    if (signal.aborted) lost()
  }
  context.heartbeat()

  return {
    signal: controller.signal,
    cause: () => why,
    close() {
      for (const timer of timers) clearInterval(timer)
      unlisten()
      context.cancellationSignal.removeEventListener('abort', lost)
      deps.stopping.removeEventListener('abort', lost)
    },
  }
}

const phaseOf = { source: 'sourcing', build: 'building' } as const
