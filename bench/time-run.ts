import { once } from 'node:events'
import type { Platform } from './start-platform.ts'

export type TimedRun = {
  id: number
  workflowId: string
  postMs: number
  totalMs: number
  sentAt: number
}

type Run = { id: number; state: string; reason: string | null; workflowId: string }

const giveUpMs = 60_000

/**
 * Starts a run and waits until the API reports success. A notification of the database tells when
 * to ask, so the bench does not poll and distort the figures.
 */
export async function timeRun(
  { call, changes }: Platform,
  workspaceId: number,
  word?: string,
): Promise<TimedRun> {
  const heard = new EventTarget()
  const forget = changes.on('cc_run', () => heard.dispatchEvent(new Event('change')))
  try {
    const sentAt = Date.now()
    const since = performance.now()
    const posted = await call('POST', `/workspaces/${workspaceId}/apply`, {
      ...(word !== undefined && { vars: { word } }),
    })
    // The shapes of the API's answers (api/runs/schemas.ts).
    const { id, workflowId } = posted.body['run'] as Run
    for (;;) {
      const changed = once(heard, 'change', { signal: AbortSignal.timeout(giveUpMs) })
      changed.catch(() => undefined)
      const { body } = await call('GET', `/workspaces/${workspaceId}/runs/${id}`)
      const run = body['run'] as Run
      if (run.state === 'succeeded') {
        const totalMs = performance.now() - since
        return { id, workflowId, postMs: posted.tookMs, totalMs, sentAt }
      }
      if (run.state !== 'running') throw new Error(`a run did not succeed: ${JSON.stringify(run)}`)
      await changed
    }
  } finally {
    forget()
  }
}
